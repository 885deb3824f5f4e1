import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readVersions } from '@anabranch/database/rules';
import { clientOf, Installation, RunningIngestion } from './fixtures/running-ingestion.js';

const rulesDelayMs = 2_000;
let installation: Installation;
let ingestion: RunningIngestion;

beforeAll(async () => {
  installation = await Installation.create();
  ingestion = await RunningIngestion.start(installation, { rulesDelayMs, rulesCacheMs: 1_000 });
});

afterAll(async () => {
  await ingestion.stop();
  await installation.remove();
});

interface Answer {
  status: number;
  etag: string | null;
  body: Record<string, unknown>;
}

async function tenant(scopes?: string[]) {
  const { tenantId, key } = await installation.key(undefined, scopes);
  const { call } = clientOf(ingestion, key);
  const ask = async (method: string, path: string, init: { body?: unknown; headers?: Record<string, string> } = {}) => {
    const headers = { 'content-type': 'application/json', ...init.headers };
    const given = typeof init.body === 'string' ? init.body : JSON.stringify(init.body);
    const response = await call(`/v1/${path}`, {
      method,
      ...(init.body === undefined ? { headers: init.headers ?? {} } : { headers, body: given }),
    });
    const { status } = response;
    return { status, etag: response.headers.get('etag'), body: (await response.json()) as Answer['body'] };
  };
  return {
    tenantId,
    get: (path: string): Promise<Answer> => ask('GET', path),
    put: (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
      ask('PUT', path, { body, headers }),
    remove: (path: string, headers: Record<string, string> = {}): Promise<Answer> => ask('DELETE', path, { headers }),
  };
}

const taxonomy = (...names: string[]) => ({ labels: names.map((name) => ({ name })) });

describe.each([
  ['taxonomies', taxonomy('a'), taxonomy('b')],
  ['rulesets', { rules: [] }, { rules: [{ id: 'r', when: { types: ['CARD'] }, severity: 'HIGH' }] }],
  ['gazetteers', { entries: [] }, { entries: [{ name: 'X', type: 'PRODUCT' }] }],
])('%s', (collection, first, second) => {
  it('are stored in versions, and say from when each is in force', async () => {
    const owner = await tenant();
    const before = Date.now();
    const created = await owner.put(`${collection}/default`, first);
    const after = Date.now();
    expect(created).toMatchObject({ status: 201, etag: '"1"', body: { id: 'default', version: '1' } });
    expect(created.body.createdBy).toMatchObject({ name: 'test' });
    const [createdAt, effectiveFrom] = [created.body.createdAt, created.body.effectiveFrom].map((time) =>
      Date.parse(String(time)),
    );
    expect(effectiveFrom).toBe((createdAt ?? 0) + rulesDelayMs);
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(createdAt).toBeLessThanOrEqual(after);
    const changed = await owner.put(`${collection}/default`, second);
    expect(changed).toMatchObject({ status: 200, etag: '"2"', body: { version: '2' } });
    expect(await owner.put(`${collection}/default`, second)).toMatchObject({ status: 200, body: changed.body });
  });

  it('are shown with what they say, also in a former version, and can be put back as they are', async () => {
    const owner = await tenant();
    await owner.put(`${collection}/default`, first);
    await owner.put(`${collection}/default`, second);
    const newest = await owner.get(`${collection}/default`);
    expect(newest).toMatchObject({ status: 200, etag: '"2"', body: { id: 'default', version: '2', ...second } });
    expect(await owner.get(`${collection}/default?version=1`)).toMatchObject({ body: { version: '1', ...first } });
    expect(await owner.put(`${collection}/default`, newest.body)).toMatchObject({
      status: 200,
      body: { version: '2' },
    });
  });

  it('are listed by id, without what they say', async () => {
    const owner = await tenant();
    expect((await owner.get(collection)).body).toEqual({ [collection]: [] });
    for (const id of ['b', 'a']) await owner.put(`${collection}/${id}`, first);
    const { body } = await owner.get(collection);
    expect(body[collection]).toMatchObject([{ id: 'a' }, { id: 'b' }]);
    expect(JSON.stringify(body)).not.toContain(`"${Object.keys(first)[0]}":`);
  });

  it('can be withdrawn, from a time on', async () => {
    const owner = await tenant();
    expect((await owner.remove(`${collection}/default`)).status).toBe(404);
    await owner.put(`${collection}/default`, first);
    const before = Date.now();
    const withdrawn = await owner.remove(`${collection}/default`);
    expect(withdrawn).toMatchObject({ status: 200, body: { version: '2' } });
    expect(Date.parse(String(withdrawn.body.effectiveFrom))).toBeGreaterThanOrEqual(before + rulesDelayMs);
    expect((await owner.get(`${collection}/default`)).body).toMatchObject({ code: 'RULES_NOT_FOUND' });
    expect((await owner.get(collection)).body).toEqual({ [collection]: [] });
    expect((await owner.get(`${collection}/default?version=1`)).body).toMatchObject(first);
    expect(await owner.put(`${collection}/default`, first)).toMatchObject({ status: 200, body: { version: '3' } });
  });

  it('of another tenant do not exist', async () => {
    const [owner, other] = [await tenant(), await tenant()];
    await owner.put(`${collection}/mine`, first);
    for (const path of [`${collection}/mine`, `${collection}/mine?version=1`]) {
      expect(await other.get(path)).toMatchObject({ status: 404, body: { code: 'RULES_NOT_FOUND' } });
    }
    expect((await other.get(collection)).body).toEqual({ [collection]: [] });
    expect(await other.remove(`${collection}/mine`)).toMatchObject({ status: 404 });
    expect(await other.put(`${collection}/mine`, second)).toMatchObject({ status: 201, body: { version: '1' } });
    expect((await owner.get(`${collection}/mine`)).body).toMatchObject({ version: '1', ...first });
  });
});

describe('two who change the same', () => {
  it('do not overwrite each other when they say what they have read', async () => {
    const owner = await tenant();
    const put = (names: string[], headers: Record<string, string>) =>
      owner.put('taxonomies/t', taxonomy(...names), headers);
    expect(await put(['a'], { 'if-match': '*' })).toMatchObject({
      status: 412,
      body: { code: 'VERSION_MOVED', current: null },
    });
    const { etag } = await put(['a'], { 'if-none-match': '*' });
    expect(await put(['b'], { 'if-match': etag ?? '' })).toMatchObject({ status: 200, body: { version: '2' } });
    expect(await put(['c'], { 'if-match': etag ?? '' })).toMatchObject({ status: 412, body: { current: '2' } });
    expect((await owner.remove('taxonomies/t', { 'if-match': '"1"' })).status).toBe(412);
    expect((await owner.get('taxonomies/t')).body).toMatchObject(taxonomy('b'));
    expect(await put(['d'], { 'if-match': 'two' })).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  });
});

describe('what cannot be applied', () => {
  it('is refused with the path and the reason of each fault, and nothing is stored', async () => {
    const owner = await tenant();
    const labels = [{ name: 'a', patterns: ['fine', '(?=look)'] }, { name: '' }];
    const { status, body } = await owner.put('taxonomies/default', { threshold: 7, labels });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'INVALID_REQUEST', instance: '/v1/taxonomies/default' });
    const errors = body.errors as { field: string; message: string }[];
    expect(errors.map(({ field }) => field)).toEqual(
      expect.arrayContaining(['body.threshold', 'body.labels.0.patterns.1', 'body.labels.1.name']),
    );
    expect(errors.find(({ field }) => field === 'body.labels.0.patterns.1')?.message).toContain('RE2 syntax');
    const scope = { tenantId: owner.tenantId, kind: 'taxonomy' as const };
    expect((await readVersions(installation.db, scope)).versions).toEqual([]);
  });

  it.each([
    ['an id that is none', 'taxonomies/Not%20an%20id', taxonomy(), 400, 'INVALID_REQUEST'],
    ['another id', 'taxonomies/a', { ...taxonomy(), id: 'b' }, 400, 'INVALID_REQUEST'],
    ['half of it', 'taxonomies/a', '{"labels":[', 400, 'INVALID_JSON'],
    ['too much', 'gazetteers/a', `{"entries":[]${' '.repeat(4_194_304)}}`, 413, 'RULES_TOO_LARGE'],
    ['far too much', 'gazetteers/a', ' '.repeat(30_000_000), 413, 'RULES_TOO_LARGE'],
  ])('is refused: %s', async (_, path, body, status, code) => {
    const owner = await tenant();
    expect(await owner.put(path, body)).toMatchObject({ status, body: { code } });
  });

  it.each(['text/plain', 'application/xml'])('is refused: a body of the type %s', async (type) => {
    const owner = await tenant();
    const answer = await owner.put('rulesets/a', '<rules/>', { 'content-type': type });
    expect(answer).toMatchObject({ status: 415, body: { accepted: ['application/json'] } });
  });

  it.each(['version=0', 'version=x', 'versions=1'])('is refused: the query %s', async (query) => {
    const owner = await tenant();
    expect(await owner.get(`rulesets/default?${query}`)).toMatchObject({ status: 400 });
  });

  it('is accepted when it is empty, or has 500 labels', async () => {
    const owner = await tenant();
    expect((await owner.put('taxonomies/none', taxonomy())).status).toBe(201);
    const names = Array.from({ length: 500 }, (_, index) => `label ${index}`);
    expect((await owner.put('taxonomies/many', taxonomy(...names))).status).toBe(201);
    expect((await owner.get('taxonomies/many')).body.labels).toHaveLength(500);
  });
});

describe('what can be no id', () => {
  const odd = ['%00', 'a%00b', '..%2Fx', 'A', 'x%20y', '%C3%BC', '%F0%9F%98%80', '.hidden', 'a%2Fb', 'a'.repeat(65)];

  it.each(odd)('is refused by every route alike: %s', async (id) => {
    const owner = await tenant();
    for (const collection of ['taxonomies', 'rulesets', 'gazetteers']) {
      const path = `${collection}/${id}`;
      const answers = [await owner.get(path), await owner.get(`${path}?version=1`), await owner.remove(path)];
      for (const { status, body } of [...answers, await owner.put(path, taxonomy())]) {
        expect(status).toBe(400);
        expect(body).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ field: 'path.id' }] });
      }
    }
  });

  it.each([
    ['too long for an address', 'a'.repeat(5_000), 414, 'REQUEST_REJECTED'],
    ['not percent-encoded UTF-8', '%FF', 400, 'REQUEST_REJECTED'],
    ['nothing', '', 404, 'ROUTE_NOT_FOUND'],
  ])('is refused by the router: %s', async (_, id, status, code) => {
    const owner = await tenant();
    expect(await owner.get(`taxonomies/${id}`)).toMatchObject({ status, body: { code } });
  });
});

describe('a key', () => {
  it('needs a scope of its own to read rules, and another one to change them', async () => {
    const documents = await tenant(['documents:read', 'documents:write']);
    expect(await documents.get('rulesets')).toMatchObject({ status: 403, body: { scope: 'rules:read' } });
    const reader = await tenant(['rules:read']);
    expect((await reader.get('rulesets')).status).toBe(200);
    expect(await reader.put('rulesets/a', { rules: [] })).toMatchObject({
      status: 403,
      body: { scope: 'rules:write' },
    });
    expect(await reader.remove('rulesets/a')).toMatchObject({ status: 403, body: { scope: 'rules:write' } });
  });
});
