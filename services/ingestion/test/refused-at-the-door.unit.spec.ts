import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { problemSchema } from '../src/openapi/api-problems.js';
import { Door, requestOf, type DoorAnswer } from './fixtures/door.js';

let door: Door;
const seen: unknown[] = [];

beforeAll(async () => {
  const jobs = {
    list: (_tenant: string, filter: unknown) => {
      seen.push(filter);
      return Promise.resolve({ jobs: [], nextCursor: null });
    },
  };
  door = await Door.open({ ports: { jobs: jobs as never } });
});

afterAll(() => door.close());

function problemIn({ status, headers, body }: DoorAnswer) {
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(headers['x-request-id']).toBeTruthy();
  const problem = problemSchema.parse(JSON.parse(body));
  expect(problem.status).toBe(status);
  return problem;
}

const strangers = { authorization: 'Bearer bad' };

describe('who calls is asked for, however the address is written', () => {
  it.each([
    'POST http://x/v1/documents',
    'POST HTTP://user@x:80/v1/documents?documentId=a',
    'GET https://x/v1/jobs',
    'GET /%76%31/jobs',
    'GET /v1/jobs#part',
    'GET /v1/nothing',
    'GET http://x/v1',
  ])('%s', async (line) => {
    const answer = await door.send(requestOf(line, { 'content-type': 'text/plain', ...strangers }));
    expect(problemIn(answer)).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });

  it('and a whole URL leads to the same route as its path', async () => {
    expect((await door.send(requestOf('GET http://elsewhere/v1/jobs?limit=7'))).status).toBe(200);
    expect(seen.at(-1)).toMatchObject({ limit: 7 });
    expect((await door.send(requestOf('GET http://x?limit=7'))).status).toBe(404);
  });
});

describe('an address in an unknown form is a malformed request', () => {
  it.each(['GET *', 'OPTIONS *', 'GET ftp://x/v1/jobs', 'GET v1/jobs', 'GET http:///v1/jobs'])('%s', async (line) => {
    expect((await door.send(requestOf(line))).status).toBe(400);
  });
});

describe('a query parameter', () => {
  it.each([
    ['is given once', '?limit=3&limit=4', 'query.limit', /more than once/],
    ['is given once, also when it is text', '?documentId=a&documentId=b', 'query.documentId', /more than once/],
    ['has no NUL', '?documentId=%00', 'query.documentId', /control characters/],
    ['has no line end', '?documentId=a%0Ab', 'query.documentId', /control characters/],
    ['is a number where a number is wanted', '?limit=many', 'query.limit', /whole number/],
  ])('%s', async (_, query, field, message) => {
    const problem = problemIn(await door.send(requestOf(`GET /v1/jobs${query}`)));
    expect(problem).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect(problem.errors).toEqual([{ field, message: expect.stringMatching(message) }]);
    expect(problem.detail).not.toContain('NaN');
  });
});

describe('a compressed body', () => {
  it.each(['gzip', 'br', 'identity, GZIP', 'x'.repeat(500)])('is not taken for text: %s', async (encoding) => {
    const headers = { 'content-type': 'text/plain', 'content-encoding': encoding };
    const answer = await door.send(requestOf('POST /v1/documents', headers, '\x1f\x8b'));
    const problem = problemIn(answer);
    expect(problem).toMatchObject({ status: 415, code: 'UNSUPPORTED_CONTENT_ENCODING', accepted: ['identity'] });
    expect(problem.detail.includes(encoding)).toBe(encoding.length < 64);
    expect(answer.headers['accept-encoding']).toBe('identity');
  });

  it('is none when its encoding is identity', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'Identity' };
    const problem = problemIn(await door.send(requestOf('POST /v1/documents', headers, '{}')));
    expect(problem.code).toBe('MISSING_TEXT');
  });
});

describe('an expectation', () => {
  it('that cannot be met is a problem that says which can', async () => {
    const problem = problemIn(await door.send(requestOf('GET /v1/jobs?limit=1', { expect: 'tea' })));
    expect(problem).toMatchObject({ status: 417, code: 'REQUEST_REJECTED', instance: '/v1/jobs' });
    expect(problem.detail).toContain('100-continue');
  });
});

describe('a number that is none of those wanted is told which are', () => {
  it.each(['-1', '0', '201', '1.5', '1e2', '0x10', '', '99999999999999999999'])('limit=%s', async (limit) => {
    const problem = problemIn(await door.send(requestOf(`GET /v1/jobs?limit=${limit}`)));
    const message = 'must be a whole number from 1 to 200';
    expect(problem).toMatchObject({ status: 400, errors: [{ field: 'query.limit', message }] });
  });

  it.each(['null', '-1', '0', '1.5', '"1"', '2147483647', '9007199254740993'])('expectedRun: %s', async (run) => {
    const json = { 'content-type': 'application/json' };
    const request = requestOf('POST /v1/jobs/x/analyses/summary/runs', json, `{"expectedRun":${run}}`);
    const message = 'must be a whole number from 1 to 2147483646';
    expect(problemIn(await door.send(request)).errors).toEqual([{ field: 'body.expectedRun', message }]);
  });

  it.each([
    ['deadlineMs=-5', 'query.deadlineMs', 'must be a whole number from 0 to 31536000000'],
    ['deadlineMs=1e3', 'query.deadlineMs', 'must be a whole number from 0 to 31536000000'],
    ['stream=yes', 'query.stream', 'must be true or false'],
  ])('as an option of a raw body: %s', async (query, field, message) => {
    const request = requestOf(`POST /v1/documents?${query}`, { 'content-type': 'text/plain' }, 'x');
    expect(problemIn(await door.send(request)).errors).toEqual([{ field, message }]);
  });
});

describe('what could be read in two ways is read in none', () => {
  it.each(['%ff', '%', '%zz', 'a%E0%A4%A'])('a query that is not percent-encoded: documentId=%s', async (id) => {
    const problem = problemIn(await door.send(requestOf(`GET /v1/jobs?documentId=${id}`)));
    expect(problem).toMatchObject({ status: 400, code: 'INVALID_REQUEST', detail: expect.stringContaining('%') });
  });

  it.each([
    ['authorization', 'GET /v1/jobs', 'Authorization: Bearer bad'],
    ['content-type', 'POST /v1/documents', 'Content-Type: text/plain'],
  ])('two headers %s', async (name, line, second) => {
    const request = requestOf(line, { 'content-type': 'application/json' }, '{"text":"x"}');
    const problem = problemIn(await door.send(request.replace('\r\n', `\r\n${second}\r\n`)));
    expect(problem).toMatchObject({ status: 400, code: 'INVALID_REQUEST', detail: `Give the header ${name} once.` });
  });

  it.each(['.', '..'])('a document whose id is a step of a path: %s', async (documentId) => {
    const json = { 'content-type': 'application/json' };
    const request = requestOf('POST /v1/documents', json, JSON.stringify({ text: 'x', documentId }));
    expect(problemIn(await door.send(request))).toMatchObject({ errors: [{ field: 'body.documentId' }] });
  });

  it('a request without Host, which is told so in a body', async () => {
    const problem = problemIn(await door.send(requestOf('GET /v1/jobs').replace('host: x\r\n', '')));
    expect(problem).toMatchObject({ status: 400, code: 'REQUEST_REJECTED', detail: expect.stringContaining('Host') });
  });
});
