import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { problemSchema } from '../src/openapi/api-problems.js';
import { clientOf, Installation, RunningIngestion } from './fixtures/running-ingestion.js';

const secret = 'The Colonel’s secret recipe';

let installation: Installation;
let ingestion: RunningIngestion;
let client: ReturnType<typeof clientOf>;
let jobId: string;

beforeAll(async () => {
  installation = await Installation.create();
  ingestion = await RunningIngestion.start(installation, { maxDocumentBytes: 10_000 });
  client = clientOf(ingestion, (await installation.key()).key);
  jobId = ((await (await client.postJson({ text: 'x' })).json()) as { id: string }).id;
});

afterAll(async () => {
  await ingestion.stop();
  await installation.remove();
});

const absent = '00000000-0000-5000-8000-000000000000';
const post = (contentType: string, body: string | Buffer, query = '') => client.postRaw(body, contentType, query);

type Case = [what: string, status: number, code: string, send: () => Promise<Response>];

const cases: Case[] = [
  ['an address that does not exist', 404, 'ROUTE_NOT_FOUND', () => client.get(`/v1/nothing?text=${secret}`)],
  ['an address outside the API', 404, 'ROUTE_NOT_FOUND', () => client.get('/nothing')],
  ['an address with a slash too many', 404, 'ROUTE_NOT_FOUND', () => client.get('/v1/jobs/')],
  ['an address that is not encoded well', 400, 'REQUEST_REJECTED', () => client.get('/v1/jobs/%E0%A4%A')],
  ['a job that does not exist', 404, 'JOB_NOT_FOUND', () => client.get(`/v1/jobs/${absent}`)],
  ['an id that is none', 404, 'JOB_NOT_FOUND', () => client.get('/v1/jobs/1%27%20OR%201=1')],
  ['the result of a job that does not exist', 404, 'JOB_NOT_FOUND', () => client.get(`/v1/jobs/${absent}/result`)],
  ['the history of a job that does not exist', 404, 'JOB_NOT_FOUND', () => client.get(`/v1/jobs/${absent}/events`)],
  ['a result that is not there yet', 409, 'RESULT_NOT_READY', () => client.get(`/v1/jobs/${jobId}/result`)],
  ['reading documents', 405, 'METHOD_NOT_ALLOWED', () => client.get('/v1/documents')],
  ['deleting a job', 405, 'METHOD_NOT_ALLOWED', () => client.call(`/v1/jobs/${jobId}`, { method: 'DELETE' })],
  ['JSON that ends too early', 400, 'INVALID_JSON', () => post('application/json', `{"text":"${secret}`)],
  ['JSON with a stray word', 400, 'INVALID_JSON', () => post('application/json', `{"text":${secret}}`)],
  ['no JSON at all', 400, 'INVALID_JSON', () => post('application/json', '')],
  ['JSON that is no object', 400, 'INVALID_REQUEST', () => post('application/json', `["${secret}"]`)],
  ['JSON without a text', 400, 'MISSING_TEXT', () => client.postJson({ documentId: 'd' })],
  [
    'a text in the wrong place',
    400,
    'INVALID_REQUEST',
    () => client.postJson({ text: 'x', [secret.repeat(9)]: secret }),
  ],
  ['a text that is a list', 400, 'INVALID_REQUEST', () => client.postJson({ text: [secret] })],
  ['a misspelt option', 400, 'INVALID_REQUEST', () => client.postJson({ text: secret, analysis: [] })],
  ['a wrong query', 400, 'INVALID_REQUEST', () => client.get('/v1/jobs?limit=many&state=done')],
  ['a time that is none', 400, 'INVALID_REQUEST', () => client.get('/v1/jobs?createdAfter=yesterday')],
  ['a cursor of nobody', 400, 'INVALID_REQUEST', () => client.get('/v1/jobs?cursor=abc')],
  ['an option of a raw body', 400, 'INVALID_REQUEST', () => post('text/plain', secret, '?priority=URGENT')],
  [
    'a body that is not what it says',
    400,
    'INVALID_ENCODING',
    () => post('text/plain; charset=utf-8', Buffer.from([0xff, 0x41])),
  ],
  ['an unknown character set', 415, 'UNSUPPORTED_CHARSET', () => post('text/plain; charset=klingon', secret)],
  ['a type that is not accepted', 415, 'UNSUPPORTED_MEDIA_TYPE', () => post('application/pdf', secret)],
  ['a form', 415, 'UNSUPPORTED_MEDIA_TYPE', () => post('application/x-www-form-urlencoded', `text=${secret}`)],
  ['no type', 415, 'UNSUPPORTED_MEDIA_TYPE', () => client.call('/v1/documents', { method: 'POST' })],
  ['a malformed type', 415, 'UNSUPPORTED_MEDIA_TYPE', () => post('text', secret)],
  ['a document beyond the limit', 413, 'DOCUMENT_TOO_LARGE', () => post('text/plain', secret.repeat(500))],
  [
    'an analysis that does not exist',
    422,
    'UNKNOWN_ANALYSIS',
    () => client.postJson({ text: secret, analyses: ['x'] }),
  ],
  ['HTML that cannot be read', 422, 'UNREADABLE_HTML', () => deepHtml()],
  ['no key', 401, 'UNAUTHENTICATED', () => fetch(`${ingestion.url}/v1/jobs`)],
];

/** Nested deeper than the parser's stack, within this test's limit of size. */
async function deepHtml(): Promise<Response> {
  const roomy = await RunningIngestion.start(installation);
  const { key } = await installation.key();
  const response = await clientOf(roomy, key).postRaw(`${'<b>'.repeat(15_000)}${secret}`, 'text/html');
  const copy = new Response(await response.arrayBuffer(), response);
  ingestion.logLines.push(...roomy.logLines);
  await roomy.stop();
  return copy;
}

describe('an error is a problem that says what it is and what to do', () => {
  it.each(cases)('%s: %i %s', async (_, status, code, send) => {
    const response = await send();
    const text = await response.text();
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('x-request-id')).toBeTruthy();
    const problem = problemSchema.parse(JSON.parse(text));
    expect(problem).toMatchObject({
      status,
      code,
      type: `urn:anabranch:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    });
    expect(problem.detail.length).toBeGreaterThan(20);
    expect(problem.instance).not.toContain('?');
    expect(text).not.toContain(secret);
  });

  it('and none of it wrote text of a document into the log', async () => {
    await client.postJson({ text: secret, metadata: { note: secret } });
    const log = ingestion.logLines.join('');
    expect(log).toContain('"status":413');
    expect(log).not.toContain('Colonel');
    expect(log).not.toContain('secret');
  });
});

describe('the headers of an error', () => {
  it('name the methods of the address', async () => {
    const response = await client.call(`/v1/jobs/${jobId}`, { method: 'PUT' });
    expect(response.headers.get('allow')).toContain('GET');
    expect(await response.json()).toMatchObject({ allowed: expect.arrayContaining(['GET']) });
  });

  it('say when to ask for a result again', async () => {
    const response = await client.get(`/v1/jobs/${jobId}/result`);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ state: 'accepted' });
  });

  it('carry the caller’s request id when it is fit for a header, and a new one when it is not', async () => {
    const given = await client.call('/v1/jobs', { headers: { 'x-request-id': 'order-7' } });
    expect(given.headers.get('x-request-id')).toBe('order-7');
    const long = await client.call('/v1/jobs', { headers: { 'x-request-id': 'x'.repeat(200) } });
    expect(long.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('what is not HTTP', () => {
  it.each([
    ['nonsense', 'nonsense\r\n\r\n', 400],
    ['too large headers', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 431],
  ])('is answered with a problem, too: %s', async (_, request, status) => {
    const { hostname, port } = new URL(ingestion.url);
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.write(request);
    await once(socket, 'close');
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status}`);
    expect(head).toContain('application/problem+json');
    expect(problemSchema.parse(JSON.parse(body))).toMatchObject({ status, code: 'REQUEST_REJECTED' });
  });
});
