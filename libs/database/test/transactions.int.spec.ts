import { DependencyUnavailable, StopService } from '@anabranch/failures';
import { createTestDatabase } from '@anabranch/test-support/postgres';
import { eventually, testAddress } from '@anabranch/test-support';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, databaseConfig, type Database, type Queryable } from '../src/index.js';
import { assemble } from '../src/jobs/index.js';
import { allOutcomes, ingested, openedFact, openTestDatabase } from './fixtures.js';

let db: Database;
let url: string;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, url, close } = await openTestDatabase());
  await db.query('CREATE TABLE counter (id integer PRIMARY KEY, value integer NOT NULL)');
  await db.query('INSERT INTO counter VALUES (1, 0), (2, 0)');
});
afterAll(() => close());

test('transactions that deadlock are tried again, and both happen', async () => {
  const { promise: bothHoldOne, resolve } = Promise.withResolvers<void>();
  let holders = 0;
  const raise = (first: number, second: number) =>
    db.transaction(async (tx) => {
      await tx.query('UPDATE counter SET value = value + 1 WHERE id = $1', [first]);
      if (++holders === 2) resolve();
      await bothHoldOne;
      await tx.query('UPDATE counter SET value = value + 1 WHERE id = $1', [second]);
    });
  await Promise.all([raise(1, 2), raise(2, 1)]);
  expect(holders).toBeGreaterThan(2);
  expect(await db.query('SELECT value FROM counter ORDER BY id')).toEqual([{ value: 2 }, { value: 2 }]);
});

test('a failed transaction leaves nothing, and its connection is fit for the next one', async () => {
  const failing = db.transaction(async (tx) => {
    await tx.query('UPDATE counter SET value = 99');
    throw new Error('a bug');
  });
  await expect(failing).rejects.toThrow('a bug');
  expect(await db.query('SELECT 1 AS n FROM counter WHERE value = 99')).toEqual([]);
});

test('of statements that travel together the one that fails is told, and none of them happens', async () => {
  const id = [3, 4, 5];
  const add = (tx: Queryable, each: number) => tx.query('INSERT INTO counter VALUES ($1, 7)', [each]);
  const failing = db.transaction((tx) => {
    const [first, second, third] = id.map((each) => add(tx, each));
    return Promise.all([first, add(tx, 1), second, third]);
  });
  await expect(failing).rejects.toMatchObject({ code: '23505' });
  expect(await db.query('SELECT id FROM counter WHERE value = 7')).toEqual([]);
  // The same statements, whose names the session may or may not have learnt, on the same connections.
  await Promise.all(id.map((each) => db.transaction((tx) => add(tx, each))));
  expect(await db.query('SELECT id FROM counter WHERE value = 7 ORDER BY id')).toEqual(
    id.map((each) => ({ id: each })),
  );
});

test('a statement is planned once for all transactions of a session, however few rows each is for', async () => {
  const config = { ...databaseConfig.parse({ postgresUrl: url }), postgresPoolSize: 1 };
  const one = await createDatabase(config, { name: 'spec' });
  const sql = 'SELECT c.value FROM unnest($1::integer[]) AS wanted (id) JOIN counter c USING (id)';
  for (let times = 0; times < 20; times++) await one.transaction((tx) => tx.query(sql, [[1]]));
  const plans = 'SELECT custom_plans::integer, generic_plans::integer FROM pg_prepared_statements WHERE statement = $1';
  expect(await one.query(plans, [sql])).toEqual([{ custom_plans: 0, generic_plans: 20 }]);
  await one.close();
});

test('behind a transaction pooler no statement is known by a name', async () => {
  const preparedBy = async (subject: Database): Promise<number> => {
    const [row] = await subject.transaction(async (tx) => {
      await tx.query('SELECT $1::integer AS n', [1]);
      return tx.query<{ count: number }>('SELECT count(*)::integer AS count FROM pg_prepared_statements');
    });
    return row?.count ?? -1;
  };
  const pooled = await createDatabase(databaseConfig.parse({ postgresUrl: url, postgresDirectUrl: url }), {
    name: 'spec',
  });
  try {
    expect(await preparedBy(pooled)).toBe(0);
    expect(await preparedBy(db)).toBeGreaterThan(0);
  } finally {
    await pooled.close();
  }
});

test('a connection that is cut in the middle is a dependency that is down, and the pool recovers', async () => {
  const cut = db.transaction(async (tx) => {
    const [self] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await db.query('SELECT pg_terminate_backend($1)', [self?.pid]);
    await tx.query('SELECT 1');
  });
  await expect(cut).rejects.toMatchObject({ dependency: 'postgres' });
  await db.check();
});

test('a connection that is cut between two reads of a snapshot is a dependency that is down, too', async () => {
  const reading = db.readAs('acme', async (_, rows) => {
    const [own] = await rows.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await db.query('SELECT pg_terminate_backend($1)', [own?.pid]);
    // By then its end has been noticed here as well: nothing was asked of it meanwhile.
    await eventually(
      async () => (await db.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [own?.pid])).length === 0,
    );
    return rows.query('SELECT 1');
  });
  await expect(reading).rejects.toMatchObject({ dependency: 'postgres' });
  expect(await db.readAs('acme', (_, rows) => rows.query('SELECT 1 AS one'))).toEqual([{ one: 1 }]);
});

test('a pool whose connections are all cut while they are idle recovers without a failure of the process', async () => {
  await Promise.all(Array.from({ length: 5 }, () => db.query('SELECT pg_sleep(0.01)')));
  const admin = await db.connectDirectly('admin');
  await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  await admin.end();
  // The first statements may still meet a connection whose end has not arrived yet.
  const checks = await Promise.allSettled(Array.from({ length: 20 }, () => db.check()));
  const reasons: unknown[] = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason] : []));
  expect(reasons.every((reason) => reason instanceof DependencyUnavailable)).toBe(true);
  await db.check();
});

test('a poison record is found in a batch of any size, and the others are recorded', async () => {
  const events = Array.from({ length: 12 }, () => ingested());
  const facts = events.flatMap((event) => [openedFact(event), ...allOutcomes(event)]);
  const [poisoned, other] = [facts[20], facts[45]];
  if (poisoned?.type !== 'outcome' || other?.type !== 'outcome') throw new Error('two outcomes');
  poisoned.event.warnings = ['a \u0000 in a warning'];
  other.event.run = 2_147_483_648;
  const { results, settled } = await assemble(db, facts);
  const refused = results.flatMap((result, at) => (result instanceof Error ? [[at, result]] : []));
  expect(refused).toMatchObject([
    [20, { code: 'INVALID_EVENT' }],
    [45, { code: 'INVALID_EVENT' }],
  ]);
  expect(settled).toHaveLength(events.length - 2);
});

test('a database that cannot be used at all stops the service with what to do', async () => {
  const start = (url: string) => createDatabase(databaseConfig.parse({ postgresUrl: url }), { name: 'spec' });
  const missing = new URL(testAddress('postgres'));
  missing.pathname = '/no-such-database';
  await expect(start(missing.href)).rejects.toThrow(StopService);
  const { url, drop } = await createTestDatabase();
  const fresh = await start(url);
  await fresh.query('TRUNCATE migration');
  await fresh.close();
  await expect(start(url)).rejects.toThrow('lacks migrations');
  await drop();
});

test('a Postgres that is not up is waited for, until the process is asked to stop', async () => {
  const stopping = new AbortController();
  const waited = Promise.withResolvers<void>();
  const log = { info: () => undefined, warn: () => waited.resolve(), error: () => undefined };
  const config = databaseConfig.parse({ postgresUrl: 'postgres://nobody@127.0.0.1:1/none' });
  const starting = createDatabase(config, { name: 'spec', signal: stopping.signal, log });
  await waited.promise;
  stopping.abort();
  await expect(starting).rejects.toThrow('aborted');
});
