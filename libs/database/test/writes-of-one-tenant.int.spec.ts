import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApiKey, findApiKey, hashApiKey } from '../src/access/index.js';
import { isKeyAnswered } from '../src/idempotency/index.js';
import type { Database, Queryable } from '../src/index.js';
import { acceptDocument, assemble, cancelJob, getJob, requestRun } from '../src/jobs/index.js';
import { lockDocuments } from '../src/jobs/documents.js';
import { lockJobs } from '../src/jobs/load.js';
import { TenantWrites1764492000000 } from '../src/migrations/1764492000000-tenant-writes.js';
import { putRules, withdrawRules } from '../src/rules/index.js';
import { analyses, ingested, newDocument, openTestDatabase, outcomeFact, sha256 } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

/** What the HTTP API does with each table. */
const written = {
  command: ['INSERT'],
  document: ['INSERT', 'UPDATE'],
  document_revision: ['INSERT'],
  idempotency_key: ['INSERT'],
  job: ['INSERT', 'UPDATE'],
  job_analysis: ['INSERT', 'UPDATE'],
  job_event: ['INSERT'],
  outbox: ['INSERT'],
  outcome: ['DELETE', 'UPDATE'],
  rules: ['INSERT'],
  settlement: ['INSERT'],
};

type Table = keyof typeof written;

const tables = Object.keys(written) as Table[];
const tablesOf = (operation: string) => tables.filter((table) => written[table].includes(operation));

/** A column that a statement may change, where any may. */
const changed: Partial<Record<Table, string>> = {
  document: 'latest_revision',
  job: 'updated_at',
  job_analysis: 'wanted_run',
  outcome: 'text_sha256',
};

const refused = { code: '42501' };

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
  await noteWriters();
  for (const tenantId of ['mine', 'theirs']) await doEverything(tenantId);
});
afterAll(() => close());

/** Notes as whom each table is written. */
async function noteWriters(): Promise<void> {
  await db.query(`
    CREATE TABLE written (name text, operation text, by text, UNIQUE (name, operation, by));
    GRANT INSERT ON written TO anabranch_writer;
    CREATE FUNCTION note_writer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO written VALUES (TG_TABLE_NAME, TG_OP, current_user) ON CONFLICT DO NOTHING;
      RETURN coalesce(NEW, OLD);
    END $$`);
  const all = await db.query<{ name: string }>(`SELECT relname AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'written'`);
  for (const { name } of all) {
    await db.query(`CREATE TRIGGER note_writer BEFORE INSERT OR UPDATE OR DELETE ON "${name}"
                    FOR EACH ROW EXECUTE FUNCTION note_writer()`);
  }
}

/** All that a client can ask for which writes, in a database where outcomes came first. */
async function doEverything(tenantId: string): Promise<void> {
  const { key } = await createApiKey(db, { tenantId, name: `key of ${tenantId}` });
  const keyId = (await findApiKey(db, hashApiKey(key)))?.keyId ?? '';
  await outcomesBefore(tenantId);
  await db.query('TRUNCATE written');
  const revision = (text: string) =>
    newDocument({ tenantId, text, graceMs: 0, idempotency: { key: text, requestSha256: sha256(text) } });
  await acceptDocument(db, revision('One.'));
  const { job } = await acceptDocument(db, revision('Two.'));
  const asked = { tenantId, jobId: job.id, causationId: 'spec' };
  await requestRun(db, { ...asked, analysis: analyses[0] ?? '', expectedRun: 1, isFresh: false });
  await cancelJob(db, { ...asked, reason: 'No longer wanted.' });
  const rules = { tenantId, kind: 'taxonomy', id: 'default', keyId, delayMs: 0 } as const;
  await putRules(db, { ...rules, definition: {} });
  await withdrawRules(db, rules);
}

/** One outcome whose text is not known, which the job will take, and one about another text, which goes. */
async function outcomesBefore(tenantId: string): Promise<void> {
  const event = ingested({ tenantId, documentId: 'invoice-3', revision: 1 });
  const [first = '', second = ''] = analyses;
  const facts = [
    outcomeFact(first, { ...event, textSha256: '' }, { status: 'FAILED' }),
    outcomeFact(second, { ...event, textSha256: 'f'.repeat(64) }),
  ];
  const { results } = await assemble(db, facts);
  expect(results.filter((result) => result instanceof Error)).toEqual([]);
}

const allOf = (table: Table) =>
  db.query<{ row: object }>(
    `SELECT to_jsonb(t) AS row FROM ${table} t WHERE tenant_id = 'theirs' ORDER BY to_jsonb(t)`,
  );

/** What a statement throws, and what comes after it is rolled back with it. */
async function outcomeAs(tenantIds: string[], work: (tx: Queryable) => Promise<unknown>): Promise<unknown> {
  const undo = new Error('undo');
  return db
    .writeAs(tenantIds, async (tx) => {
      await work(tx);
      throw undo;
    })
    .catch((error: unknown) => (error === undo ? 'done' : error));
}

test('whatever a client asks for is written as the role that row-level security binds, and in no other table', async () => {
  const found = await db.query<{ name: Table; operations: string[] }>(
    `SELECT name, array_agg(operation ORDER BY operation) AS operations FROM written WHERE by = 'anabranch_writer'
     GROUP BY name ORDER BY name`,
  );
  expect(Object.fromEntries(found.map(({ name, operations }) => [name, operations]))).toEqual(written);
  expect(await db.query("SELECT * FROM written WHERE by <> 'anabranch_writer'")).toEqual([]);
});

describe('a statement of a transaction for one tenant', () => {
  test.each(tablesOf('INSERT'))('is refused when it puts a row of another one into %s', async (table) => {
    const columns = await db.query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attidentity = ''`,
      [table],
    );
    const names = columns.map(({ name }) => name).join(', ');
    const [theirs] = await allOf(table);
    expect(theirs).toBeDefined();
    const insert = (tx: Queryable) =>
      tx.query(`INSERT INTO ${table} (${names}) SELECT ${names} FROM jsonb_populate_record(NULL::${table}, $1)`, [
        theirs?.row,
      ]);
    const message = `new row violates row-level security policy for table "${table}"`;
    expect(await outcomeAs(['mine'], insert)).toMatchObject({ ...refused, message });
    // The same statement is the other tenant's to make: the row is there already, if anything.
    const own = await outcomeAs(['theirs'], insert);
    expect(own === 'done' || (own as { code: string }).code === '23505').toBe(true);
  });

  test.each(tablesOf('UPDATE'))('changes nothing of another one in %s when it forgets the tenant', async (table) => {
    const before = await allOf(table);
    expect(before.length).toBeGreaterThan(0);
    const column = changed[table];
    const rows = await db.writeAs(['mine'], (tx) =>
      tx.query(`UPDATE ${table} SET ${column} = ${column} RETURNING tenant_id`),
    );
    expect(new Set(rows.map(({ tenant_id }) => tenant_id))).toEqual(new Set(['mine']));
    expect(await allOf(table)).toEqual(before);
    const move = (tx: Queryable) => tx.query(`UPDATE ${table} SET tenant_id = 'theirs'`);
    expect(await outcomeAs(['mine'], move)).toMatchObject(refused);
  });

  test('removes nothing of another one when it forgets the tenant', async () => {
    const before = await allOf('outcome');
    expect(before.length).toBeGreaterThan(0);
    await outcomeAs(['mine'], async (tx) => {
      const rows = await tx.query('DELETE FROM outcome RETURNING tenant_id');
      expect(new Set(rows.map(({ tenant_id }) => tenant_id))).toEqual(new Set(['mine']));
    });
    expect(await allOf('outcome')).toEqual(before);
  });

  test.each(['document', 'job', 'job_analysis', 'outcome', 'idempotency_key', 'rules', 'settlement', 'api_key'])(
    'finds nothing of another one in %s when it forgets the tenant',
    async (table) => {
      const sql = `SELECT DISTINCT tenant_id FROM ${table} WHERE tenant_id IN ('mine', 'theirs') ORDER BY 1`;
      expect(await db.query(sql)).toHaveLength(2);
      expect(await db.writeAs(['mine'], (tx) => tx.query(sql))).toEqual([{ tenant_id: 'mine' }]);
    },
  );

  test('does not learn which other tenants there are', async () => {
    expect(await db.writeAs(['mine'], (tx) => tx.query('SELECT id FROM tenant'))).toEqual([{ id: 'mine' }]);
  });

  test.each(tables.filter((table) => changed[table] === undefined))(
    'may change no row in %s, not even an own one',
    async (table) => {
      const update = (tx: Queryable) => tx.query(`UPDATE ${table} SET tenant_id = tenant_id`);
      expect(await outcomeAs(['mine'], update)).toMatchObject(refused);
    },
  );

  test.each([...tables.filter((table) => table !== 'outcome'), 'tenant', 'api_key', 'analysis'])(
    'may remove no row from %s, not even an own one',
    async (table) => {
      expect(await outcomeAs(['mine'], (tx) => tx.query(`DELETE FROM ${table}`))).toMatchObject(refused);
    },
  );

  test.each(['SELECT * FROM outbox', 'SELECT * FROM operation', 'SELECT text FROM document_revision'])(
    'may not ask what is none of its business: %s',
    async (sql) => {
      expect(await outcomeAs(['mine'], (tx) => tx.query(sql))).toMatchObject(refused);
    },
  );
});

test('a mistake of ours that takes another tenant’s job or document gets none', async () => {
  const [theirs] = await db.query<{ id: string }>("SELECT id FROM job WHERE tenant_id = 'theirs'");
  const id = theirs?.id ?? '';
  expect((await db.transaction((tx) => lockJobs(tx, [id]))).size).toBe(1);
  expect((await db.writeAs(['mine'], (tx) => lockJobs(tx, [id]))).size).toBe(0);
  const lock = (tx: Queryable) => lockDocuments(tx, [{ tenantId: 'theirs', documentId: 'invoice-3' }]);
  expect(await outcomeAs(['mine'], lock)).toMatchObject(refused);
});

test('a transaction that names no tenant has none, as has the role by itself', async () => {
  expect(await db.writeAs([], (tx) => tx.query('SELECT FROM job'))).toEqual([]);
  const direct = await db.connectDirectly('spec');
  try {
    // The second time what was set for a transaction is gone, and not unset.
    for (const begin of ['BEGIN', "BEGIN; SET LOCAL anabranch.tenants = '{mine}'"]) {
      await direct.query(`${begin}; SET LOCAL ROLE anabranch_writer`);
      await direct.query('ROLLBACK');
      await direct.query('BEGIN; SET LOCAL ROLE anabranch_writer');
      expect((await direct.query('SELECT FROM job')).rowCount).toBe(0);
      await direct.query('ROLLBACK');
    }
  } finally {
    await direct.end();
  }
});

test('a tenant whose id looks like several, or like syntax, is one', async () => {
  const odd = ['mine,theirs', '{mine,theirs}', '"theirs"', "theirs'", 'NULL', ''];
  expect(await db.writeAs(odd, (tx) => tx.query('SELECT FROM job'))).toEqual([]);
  const [setting] = await db.writeAs(odd, (tx) =>
    tx.query<{ ids: string[] }>("SELECT current_setting('anabranch.tenants')::text[] AS ids"),
  );
  expect(setting?.ids).toEqual(odd);
});

test('a batch of several tenants writes for each of them, and for nobody else', async () => {
  const posts = ['mine', 'theirs', 'mine'].map((tenantId, at) =>
    acceptDocument(db, newDocument({ tenantId, documentId: `together-${at}`, text: `Together ${at}.` })),
  );
  const jobs = await Promise.all(posts);
  expect(jobs.map(({ created }) => created)).toEqual([true, true, true]);
  expect(await getJob(db, 'theirs', jobs[1]?.job.id ?? '')).toMatchObject({ documentId: 'together-1' });
  expect(await getJob(db, 'mine', jobs[1]?.job.id ?? '')).toBeNull();
  const foreign = (tx: Queryable) => lockDocuments(tx, [{ tenantId: 'acme', documentId: 'd' }]);
  expect(await outcomeAs(['mine', 'theirs'], foreign)).toMatchObject(refused);
});

test('a key is answered for its own tenant alone', async () => {
  expect(await isKeyAnswered(db, { tenantId: 'mine', key: 'One.' })).toBe(true);
  expect(await isKeyAnswered(db, { tenantId: 'acme', key: 'One.' })).toBe(false);
});

test('the connection is nobody’s in particular afterwards, whatever became of the transaction', async () => {
  const all = await db.query('SELECT count(*) AS count FROM job');
  await db.writeAs(['mine'], (tx) => tx.query('SELECT 1'));
  await outcomeAs(['mine'], (tx) => tx.query('SELECT 1'));
  const asked = Array.from({ length: 20 }, () => db.query('SELECT count(*) AS count FROM job'));
  for (const answer of await Promise.all(asked)) expect(answer).toEqual(all);
});

test('a transaction that cannot begin for its tenants says why, and in a batch the others go on without it', async () => {
  const impossible = 'a\u0000';
  const begun = db.writeAs([impossible], (tx) => tx.query('SELECT 1'));
  await expect(begun).rejects.toMatchObject({ code: '22021' });
  const [good, bad] = await Promise.allSettled(
    ['mine', impossible].map((tenantId) =>
      acceptDocument(db, newDocument({ tenantId, documentId: 'beside', text: 'Beside.' })),
    ),
  );
  expect(good).toMatchObject({ status: 'fulfilled', value: { created: true } });
  expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'INVALID_EVENT' } });
});

test('without its grants the role writes nothing, and has them again after a migration down and up', async () => {
  const migration = new TenantWrites1764492000000();
  const runner = db.dataSource.createQueryRunner();
  const accept = () => acceptDocument(db, newDocument({ tenantId: 'mine', documentId: 'later', text: 'Later.' }));
  try {
    await migration.down(runner);
    await expect(accept()).rejects.toMatchObject(refused);
    await migration.up(runner);
  } finally {
    await runner.release();
  }
  expect(await accept()).toMatchObject({ created: true, job: { revision: 1 } });
});
