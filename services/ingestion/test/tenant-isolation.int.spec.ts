import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clientOf, Installation, RunningIngestion } from './fixtures/running-ingestion.js';

let installation: Installation;
let ingestion: RunningIngestion;

beforeAll(async () => {
  installation = await Installation.create();
  ingestion = await RunningIngestion.start(installation);
});

afterAll(async () => {
  await ingestion.stop();
  await installation.remove();
});

async function tenant() {
  const { tenantId, key } = await installation.key();
  return { tenantId, ...clientOf(ingestion, key) };
}

async function post(client: Awaited<ReturnType<typeof tenant>>, body: object) {
  return (await (await client.postJson(body)).json()) as { id: string; revision: number };
}

describe('a job of another tenant', () => {
  it.each(['', '/result', '/result?offsets=utf-16', '/text', '/events', '/why'])(
    'does not exist: GET /v1/jobs/{id}%s',
    async (suffix) => {
      const [owner, other] = [await tenant(), await tenant()];
      const { id } = await post(owner, { text: 'Mine', documentId: 'd' });
      const [own, foreign, none] = await Promise.all([
        owner.get(`/v1/jobs/${id}${suffix}`),
        other.get(`/v1/jobs/${id}${suffix}`),
        other.get(`/v1/jobs/00000000-0000-5000-8000-000000000000${suffix}`),
      ]);
      expect(own.status).not.toBe(404);
      expect(foreign.status).toBe(404);
      const [foreignBody, noneBody] = [(await foreign.json()) as object, (await none.json()) as object];
      expect({ ...foreignBody, instance: '' }).toEqual({ ...noneBody, instance: '' });
    },
  );

  it.each([
    ['cancel', {}],
    ['analyses/summary/runs', { expectedRun: 1 }],
  ])('does not exist, and stays as it was: POST /v1/jobs/{id}/%s', async (command, body) => {
    const [owner, other] = [await tenant(), await tenant()];
    const { id } = await post(owner, { text: 'Mine', documentId: 'commanded' });
    const ask = (client: typeof owner, jobId: string) =>
      client.call(`/v1/jobs/${jobId}/${command}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const before = await (await owner.get(`/v1/jobs/${id}`)).json();
    const foreign = await ask(other, id);
    const none = await ask(other, '00000000-0000-5000-8000-000000000000');
    expect([foreign.status, none.status]).toEqual([404, 404]);
    const [foreignBody, noneBody] = [(await foreign.json()) as object, (await none.json()) as object];
    expect({ ...foreignBody, instance: '' }).toEqual({ ...noneBody, instance: '' });
    expect(await (await owner.get(`/v1/jobs/${id}`)).json()).toEqual(before);
    expect((await ask(owner, id)).ok).toBe(true);
  });

  it('is in nobody else’s list', async () => {
    const [owner, other] = [await tenant(), await tenant()];
    await post(owner, { text: 'Mine', documentId: 'listed' });
    expect(await (await other.get('/v1/jobs?documentId=listed')).json()).toEqual({ jobs: [], nextCursor: null });
  });

  it('does not share its document: the same id and text make two jobs', async () => {
    const [one, two] = [await tenant(), await tenant()];
    const document = { text: 'Same', documentId: 'same' };
    const [first, second] = [await post(one, document), await post(two, document)];
    expect(first.id).not.toBe(second.id);
    expect(second.revision).toBe(1);
  });

  it('is not reached by a cursor from its owner’s list', async () => {
    const [owner, other] = [await tenant(), await tenant()];
    for (const text of ['1', '2', '3']) await post(owner, { text });
    const { nextCursor } = (await (await owner.get('/v1/jobs?limit=1')).json()) as { nextCursor: string };
    const foreign = await other.get(`/v1/jobs?limit=1&cursor=${nextCursor}`);
    expect(await foreign.json()).toEqual({ jobs: [], nextCursor: null });
  });
});

describe('a request without a valid key', () => {
  const headersOf: [string, Record<string, string>][] = [
    ['no key', {}],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['an empty key', { authorization: 'Bearer ' }],
    ['an unknown key', { authorization: 'Bearer ab_unknown-key-of-nobody' }],
    ['a key with strange characters', { authorization: 'Bearer ab_x y' }],
    ['a very long key', { authorization: `Bearer ${'x'.repeat(5_000)}` }],
  ];
  it.each(headersOf)('is 401 with a challenge: %s', async (_, headers) => {
    const response = await fetch(`${ingestion.url}/v1/jobs`, { headers });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="anabranch"/);
    expect(await response.json()).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('is refused before anything else about it is looked at', async () => {
    const responses = await Promise.all([
      fetch(`${ingestion.url}/v1/nothing`),
      fetch(`${ingestion.url}/v1/documents`, { method: 'DELETE' }),
      fetch(`${ingestion.url}/v1/documents`, { method: 'POST', body: '{', headers: { 'content-type': 'text/csv' } }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  it('is 401 after its key was revoked', async () => {
    const { tenantId, key } = await installation.key();
    const client = clientOf(ingestion, key);
    expect((await client.get('/v1/jobs')).status).toBe(200);
    await installation.db.query('UPDATE api_key SET revoked_at = now() WHERE tenant_id = $1', [tenantId]);
    expect((await client.get('/v1/jobs')).status).toBe(401);
  });
});

describe('a key without the scope of a route', () => {
  it('may read but not write', async () => {
    const { key } = await installation.key(undefined, ['documents:read']);
    const client = clientOf(ingestion, key);
    expect((await client.get('/v1/jobs')).status).toBe(200);
    const refused = await client.postJson({ text: 'x' });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toContain('scope="documents:write"');
    expect(await refused.json()).toMatchObject({ code: 'MISSING_SCOPE', scope: 'documents:write' });
  });

  it('may write but not read', async () => {
    const { key } = await installation.key(undefined, ['documents:write']);
    const client = clientOf(ingestion, key);
    const { id } = (await (await client.postJson({ text: 'x' })).json()) as { id: string };
    const paths = [
      '/v1/jobs',
      `/v1/jobs/${id}`,
      `/v1/jobs/${id}/result`,
      `/v1/jobs/${id}/text`,
      `/v1/jobs/${id}/events`,
      `/v1/jobs/${id}/why`,
    ];
    const statuses = await Promise.all(paths.map(async (path) => (await client.get(path)).status));
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403]);
  });
});
