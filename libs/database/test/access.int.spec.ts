import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApiKey, createTenant, findApiKey, hashApiKey } from '../src/access/index.js';
import { listAnalyses, upsertAnalyses } from '../src/catalogue/index.js';
import type { Database } from '../src/index.js';
import { migrate } from '../src/migrations/index.js';
import { analyses, openTestDatabase } from './fixtures.js';

let db: Database;
let url: string;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, url, close } = await openTestDatabase());
});
afterAll(() => close());

test('a new key is random, found by its hash, and nowhere stored', async () => {
  const one = await createApiKey(db, { tenantId: 'new-tenant', name: 'ci' });
  const two = await createApiKey(db, { tenantId: 'new-tenant', name: 'ci' });
  expect(one).toMatchObject({ tenantId: 'new-tenant', name: 'ci', created: true });
  expect(one.key).not.toBe(two.key);
  expect(await findApiKey(db, hashApiKey(one.key))).toMatchObject({ tenantId: 'new-tenant', name: 'ci' });
  expect(await findApiKey(db, hashApiKey('something else'))).toBeNull();
  expect(JSON.stringify(await db.query('SELECT * FROM api_key'))).not.toContain(one.key);
});

test('the same key again changes nothing, and is never given to another tenant', async () => {
  const given = { tenantId: 'keeper', name: 'local', key: 'a-key-for-development' };
  expect(await createApiKey(db, given)).toMatchObject({ created: true, key: given.key });
  expect(await createApiKey(db, given)).toMatchObject({ created: false, key: given.key });
  await expect(createApiKey(db, { ...given, tenantId: 'thief' })).rejects.toThrow('another tenant');
  await expect(createApiKey(db, { ...given, key: 'short' })).rejects.toThrow('16 characters');
});

test('a revoked key is not found', async () => {
  const { key } = await createApiKey(db, { tenantId: 'leaver', name: 'old' });
  await db.query('UPDATE api_key SET revoked_at = now() WHERE key_sha256 = $1', [hashApiKey(key)]);
  expect(await findApiKey(db, hashApiKey(key))).toBeNull();
});

test('the catalogue keeps when an analysis was enabled, and takes a new schema over', async () => {
  const before = await listAnalyses(db);
  expect(before.map(({ name }) => name)).toEqual(analyses);
  const added = await upsertAnalyses(db, [
    { name: 'toxicity', resultSchema: 'toxicity/v1' },
    { name: 'summary', resultSchema: 'summary/v2' },
  ]);
  expect(added).toEqual(['toxicity']);
  const after = await listAnalyses(db);
  expect(after.find(({ name }) => name === 'summary')).toEqual({
    ...before.find(({ name }) => name === 'summary'),
    resultSchema: 'summary/v2',
  });
});

test('tenants are made once', async () => {
  await createTenant(db, 'twice');
  await createTenant(db, 'twice');
  expect(await db.query("SELECT count(*)::int AS n FROM tenant WHERE id = 'twice'")).toEqual([{ n: 1 }]);
});

test('migrations run once, also when several processes begin at the same time', async () => {
  const { createTestDatabase } = await import('@anabranch/test-support/postgres');
  expect(await migrate(url)).toEqual([]);
  const fresh = await createTestDatabase();
  expect(await Promise.all([migrate(fresh.url), migrate(fresh.url)])).toEqual([[], []]);
  await fresh.drop();
});

test.each(['', '..', 'a/b', 'a b', 'ü', 'x'.repeat(129)])(
  '%j cannot be a tenant, for its content could not be stored',
  async (id) => {
    await expect(createTenant(db, id)).rejects.toThrow('A tenant id has');
  },
);
