import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DependencyUnavailable, StopService } from '@anabranch/failures';
import { createApiKey, findApiKey, hashApiKey } from '../src/access/index.js';
import type { Database } from '../src/index.js';
import { getRules, listRules, openRulesReader, putRules, readVersions, type RulesKind } from '../src/rules/index.js';
import { openTestDatabase } from './fixtures.js';

const kinds: RulesKind[] = ['taxonomy', 'ruleset', 'gazetteer'];
let db: Database;
let url: string;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, url, close } = await openTestDatabase());
  for (const tenantId of ['owner', 'other']) {
    const { key } = await createApiKey(db, { tenantId, name: tenantId });
    const keyId = (await findApiKey(db, hashApiKey(key)))?.keyId ?? '';
    for (const kind of kinds.filter((kind) => tenantId === 'owner' || kind === 'taxonomy')) {
      const definition = { of: `${kind} of ${tenantId}` };
      await putRules(db, { tenantId, kind, id: 'default', definition, keyId, delayMs: 0 });
    }
  }
});
afterAll(() => close());

describe('rules of another tenant', () => {
  test.each(kinds)('do not exist: %s', async (kind) => {
    const stranger = { tenantId: 'stranger', kind };
    expect(await getRules(db, { ...stranger, id: 'default' })).toBeNull();
    expect(await listRules(db, stranger)).toEqual([]);
    expect((await readVersions(db, stranger)).versions).toEqual([]);
  });

  test('have the same ids, and other contents', async () => {
    const read = (tenantId: string) => getRules(db, { tenantId, kind: 'taxonomy', id: 'default' });
    expect((await read('owner'))?.definition).toEqual({ of: 'taxonomy of owner' });
    expect((await read('other'))?.definition).toEqual({ of: 'taxonomy of other' });
  });
});

describe('rules of another kind', () => {
  test('are not these, also with the same id', async () => {
    expect(await listRules(db, { tenantId: 'other', kind: 'ruleset' })).toEqual([]);
    const stored = await getRules(db, { tenantId: 'owner', kind: 'gazetteer', id: 'default' });
    expect(stored?.definition).toEqual({ of: 'gazetteer of owner' });
  });
});

describe('the reader of an analysis', () => {
  const scope = { tenantId: 'owner', kind: 'ruleset' as const };

  test('sees what the tenant has', async () => {
    const reader = openRulesReader({ postgresUrl: url }, { name: 'spec' });
    const { versions } = await reader.versions(scope);
    expect(versions).toMatchObject([{ id: 'default', version: 1, isWithdrawn: false }]);
    expect(await reader.rules({ ...scope, id: 'default' }, 1)).toMatchObject({
      definition: { of: 'ruleset of owner' },
    });
    expect(await reader.rules({ ...scope, id: 'default' }, 2)).toBeNull();
    await reader.close();
  });

  test('opens while Postgres is down, and says so when it is asked', async () => {
    const reader = openRulesReader({ postgresUrl: 'postgres://nobody@127.0.0.1:9/none' }, { name: 'spec' });
    const error: unknown = await reader.versions(scope).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DependencyUnavailable);
    expect(error).toMatchObject({ dependency: 'postgres' });
    await reader.close();
  });

  test('stops its process where there is no table: no document is to blame', async () => {
    const empty = new URL(url);
    empty.pathname = '/template1';
    const reader = openRulesReader({ postgresUrl: empty.href }, { name: 'spec' });
    await expect(reader.versions(scope)).rejects.toThrow(StopService);
    await expect(reader.versions(scope)).rejects.toThrow('run the migrations');
    await reader.close();
  });
});
