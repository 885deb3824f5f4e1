import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, databaseConfig, type Database } from '@anabranch/database';
import { createApiKey, findApiKey, hashApiKey } from '@anabranch/database/access';
import { openRulesReader, putRules, type RulesReader, withdrawRules } from '@anabranch/database/rules';
import { DependencyUnavailable, RetryLater } from '@anabranch/failures';
import { uniqueName } from '@anabranch/test-support';
import { createTestDatabase } from '@anabranch/test-support/postgres';
import { createHarness, ingestedRecord } from '../src/testing/index.js';
import { ruled } from './fixtures/ruled.analysis.js';

const store = { get: () => Promise.reject(new Error('not read')), put: () => Promise.reject(new Error('not stored')) };

let db: Database;
let url: string;
let drop: () => Promise<void>;
const readers: RulesReader[] = [];

beforeAll(async () => {
  ({ url, drop } = await createTestDatabase());
  db = await createDatabase(databaseConfig.parse({ postgresUrl: url }), { name: 'spec' });
});

afterAll(async () => {
  for (const reader of readers) await reader.close();
  await db.close();
  await drop();
});

/** One more process that analyses, with caches of its own. */
const startProcess = (postgresUrl = url) => {
  const reader = openRulesReader({ postgresUrl }, { name: 'spec' });
  readers.push(reader);
  return createHarness(ruled, { store, rulesReader: reader });
};

async function tenant() {
  const tenantId = uniqueName('tenant');
  const { key } = await createApiKey(db, { tenantId, name: 'spec' });
  const keyId = (await findApiKey(db, hashApiKey(key)))?.keyId ?? '';
  let changes = 0;
  const rules = (id: string, delayMs: number) => ({ tenantId, kind: 'taxonomy' as const, id, keyId, delayMs });
  return {
    tenantId,
    put: async (delayMs: number, id = 'default'): Promise<number> => {
      changes += 1;
      const definition = { labels: [{ name: `label ${changes}` }] };
      return (await putRules(db, { ...rules(id, delayMs), definition })).effectiveFrom.getTime();
    },
    withdraw: async (delayMs: number): Promise<number> =>
      (await withdrawRules(db, rules('default', delayMs)))?.effectiveFrom.getTime() ?? 0,
    record: (timestamp: number, metadata: Record<string, string> = {}) =>
      ingestedRecord({ tenantId, text: 'A text.', metadata }, { timestamp }),
  };
}

/** What a process says about a record, or about a run of its document: the version that it was judged by, or the refusal. */
async function judge(
  process: ReturnType<typeof startProcess>,
  record: ReturnType<typeof ingestedRecord>,
  command?: Parameters<typeof process.rerun>[1],
) {
  const before = process.published.length;
  await (command === undefined ? process.handle(record) : process.rerun(record, command));
  const { result, refusal } = process.published[before]?.event.outcome ?? {};
  return refusal?.code ?? (result as { text: string }).text.replace(' again', '');
}

describe('a document', () => {
  it('is judged by what was in force when its event was written, whenever and wherever it is handled', async () => {
    const { put, record } = await tenant();
    const process = startProcess();
    const first = await put(10_000);
    const second = await put(20_000);
    const records = [first - 1, first, second - 1, second, second + 60_000].map((timestamp) => record(timestamp));
    const expected = ['own', '1', '1', '2', '2'];
    const handle = async (by: typeof process) => {
      const said: string[] = [];
      for (const one of records) said.push(await judge(by, one));
      return said;
    };
    expect(await handle(process)).toEqual(expected);
    // Redelivered after more changes: to the same process, and to one that has just started.
    await put(100_000);
    expect(await handle(process)).toEqual(expected);
    expect(await handle(startProcess())).toEqual(expected);
    expect(process.published[0]?.event.eventId).toBe(process.published[records.length]?.event.eventId);
  });

  it('is judged by the version before when its event was written between a change and its time', async () => {
    const { put, record } = await tenant();
    const process = startProcess();
    const first = await put(0);
    expect(await judge(process, record(first))).toBe('1');
    const second = await put(5_000);
    expect(await judge(process, record(second - 1))).toBe('1');
    expect(await judge(process, record(second))).toBe('2');
    expect(await judge(process, record(second - 1))).toBe('1');
  });

  it('whose analysis was put off is judged by its own time when it goes on, and by the newest rules in a further run', async () => {
    const { put, record } = await tenant();
    const process = startProcess();
    const [first, second] = [await put(0), await put(5_000)];
    await process.defer(record(first), new RetryLater('the model is down', { afterMs: 90_000 }));
    const askedAt = process.deferred[0]?.askedAt;
    expect(askedAt).toBe(first);
    expect(await judge(process, record(second), { run: 1, askedAt })).toBe('1');
    expect(await judge(process, record(second), { run: 2 })).toBe('2');
  });

  it('is judged by the analysis’ own rules again once the tenant’s were withdrawn', async () => {
    const { put, withdraw, record } = await tenant();
    const first = await put(0);
    const gone = await withdraw(5_000);
    const process = startProcess();
    expect(await judge(process, record(first))).toBe('1');
    expect(await judge(process, record(gone))).toBe('own');
  });

  it('is refused when it names rules that were not there yet, and judged by them from their time on', async () => {
    const { put, record } = await tenant();
    const from = await put(5_000, 'topics');
    const process = startProcess();
    const named = { 'anabranch.taxonomy': 'topics' };
    expect(await judge(process, record(from - 1, named))).toBe('UNKNOWN_TAXONOMY');
    expect(await judge(process, record(from, named))).toBe('1');
    expect(await judge(process, record(from))).toBe('own');
  });

  it('is never judged by another tenant’s rules', async () => {
    const [owner, other] = [await tenant(), await tenant()];
    const from = await owner.put(0);
    await owner.put(0, 'topics');
    const process = startProcess();
    expect(await judge(process, owner.record(from))).toBe('1');
    expect(await judge(process, other.record(from + 60_000))).toBe('own');
    expect(await judge(process, other.record(from + 60_000, { 'anabranch.taxonomy': 'topics' }))).toBe(
      'UNKNOWN_TAXONOMY',
    );
  });

  it('waits, without a try of its own, while Postgres does not answer', async () => {
    const { record } = await tenant();
    const process = startProcess('postgres://nobody@127.0.0.1:9/none');
    const error: unknown = await process.handle(record(1_000)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DependencyUnavailable);
    expect(error).toMatchObject({ dependency: 'postgres' });
    expect(process.published).toEqual([]);
  });
});
