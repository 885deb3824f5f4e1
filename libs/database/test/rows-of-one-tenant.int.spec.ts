import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApiKey, findApiKey, hashApiKey } from '../src/access/index.js';
import type { Database } from '../src/index.js';
import {
  assemble,
  deferRun,
  getHistory,
  getJob,
  getReasons,
  getResult,
  getText,
  listJobs,
  requestRun,
} from '../src/jobs/index.js';
import { getRules, putRules } from '../src/rules/index.js';
import { allOutcomes, ingested, openedFact, openTestDatabase } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;
const documents = ['mine', 'theirs'].map((tenantId) => ingested({ tenantId, documentId: 'same-id' }));

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
  for (const document of documents) {
    const { tenantId } = document;
    const { key } = await createApiKey(db, { tenantId, name: `key of ${tenantId}` });
    const keyId = (await findApiKey(db, hashApiKey(key)))?.keyId ?? '';
    await putRules(db, { tenantId, kind: 'taxonomy', id: 'default', definition: {}, keyId, delayMs: 0 });
    await assemble(db, [openedFact(document), ...allOutcomes(document)]);
    await leaveTraces(document);
  }
});
afterAll(() => close());

/** A row in each table that says what a job waits for. */
async function leaveTraces({ tenantId, documentId, revision, jobId }: (typeof documents)[number]): Promise<void> {
  const run = { tenantId, documentId, revision, jobId, analysis: 'summary', run: 1 };
  await deferRun(db, { ...run, reason: 'QUOTA', dependency: 'model', askedAt: Date.now(), waitMs: 60_000 });
  await requestRun(db, { ...run, expectedRun: 1, isFresh: false, causationId: 'spec' });
  await db.query(
    `INSERT INTO pin (job_id, analysis, run, tenant_id, purchase, choice) VALUES ($1, 'summary', 1, $2, 1, '{}')`,
    [jobId, tenantId],
  );
  await db.query(
    `INSERT INTO operation (key, tenant_id, state, token, beat, member, incarnation, job_id, analysis, run)
     VALUES (sha256(convert_to($2::text, 'UTF8')), $2, 'leased', 1, 0, 'spec', 1, $1, 'summary', 1)`,
    [jobId, tenantId],
  );
  await db.query('INSERT INTO operation_use (job_id, key) SELECT job_id, key FROM operation WHERE job_id = $1', [
    jobId,
  ]);
}

const guarded = [
  'document',
  'document_revision',
  'job',
  'job_analysis',
  'job_event',
  'outcome',
  'settlement',
  'rules',
  'deferred',
];

describe('a query on behalf of a tenant that forgets to name the tenant', () => {
  test.each(guarded)('finds nothing of another one in %s, where there are rows of both', async (table) => {
    const all = await db.query<{ tenant_id: string }>(`SELECT DISTINCT tenant_id FROM ${table} ORDER BY 1`);
    expect(all.map(({ tenant_id }) => tenant_id)).toEqual(['mine', 'theirs']);
    const seen = await db.readAs('mine', (entities) => {
      return entities.query<{ tenant_id: string }[]>(`SELECT DISTINCT tenant_id FROM ${table}`);
    });
    expect(seen.map(({ tenant_id }) => tenant_id)).toEqual(['mine']);
  });

  test.each(['outbox', 'command', 'pin', 'operation'])(
    'finds nothing of another one in %s, of which it sees some columns',
    async (table) => {
      const all = await db.query<{ tenant_id: string }>(`SELECT DISTINCT tenant_id FROM ${table} ORDER BY 1`);
      expect(all.map(({ tenant_id }) => tenant_id)).toEqual(['mine', 'theirs']);
      const seen = await db.readAs('mine', (entities) => {
        return entities.query<{ tenant_id: string }[]>(`SELECT DISTINCT tenant_id FROM ${table}`);
      });
      expect(seen.map(({ tenant_id }) => tenant_id)).toEqual(['mine']);
    },
  );

  test('sees which answers its own jobs use, and no others', async () => {
    const uses = 'SELECT count(*)::integer AS count FROM operation_use';
    expect(await db.query(uses)).toEqual([{ count: 2 }]);
    expect(await db.readAs('mine', (entities) => entities.query<object[]>(uses))).toEqual([{ count: 1 }]);
  });

  test.each(['SELECT answer FROM operation', 'SELECT choice FROM pin'])('may not %s', async (sql) => {
    const look = db.readAs('mine', (entities) => entities.query(sql));
    await expect(look).rejects.toMatchObject({ driverError: { code: '42501' } });
  });

  test.each(['idempotency_key', 'begun_revision', 'tenant'])('may not look into %s at all', async (table) => {
    const look = db.readAs('mine', (entities) => entities.query(`SELECT * FROM ${table}`));
    await expect(look).rejects.toMatchObject({ driverError: { code: '42501' } });
  });

  test('may not read keys, nor write', async () => {
    const key = db.readAs('mine', (entities) => entities.query('SELECT key_sha256 FROM api_key'));
    await expect(key).rejects.toMatchObject({ driverError: { code: '42501' } });
    const write = db.readAs('mine', (entities) => entities.query("UPDATE job SET state = 'complete'"));
    await expect(write).rejects.toMatchObject({ driverError: { code: '42501' } });
  });
});

test('the connection is nobody’s in particular afterwards', async () => {
  await db.readAs('mine', (entities) => entities.query('SELECT 1'));
  const connections = await Promise.all(
    Array.from({ length: 20 }, () => db.query('SELECT count(*) AS count FROM job')),
  );
  for (const [row] of connections) expect(row).toEqual({ count: '2' });
});

test('everything that a client asks for is answered for the own tenant, and does not exist for the other', async () => {
  const [mine] = documents;
  const jobId = mine?.jobId ?? '';
  expect(await getJob(db, 'mine', jobId)).toMatchObject({ id: jobId, state: 'complete' });
  expect((await getResult(db, 'mine', jobId))?.receipt.complete).toBe(true);
  expect((await getHistory(db, 'mine', { jobId })).length).toBeGreaterThan(2);
  expect((await getText(db, 'mine', jobId))?.text).toBe(mine?.text);
  expect((await listJobs(db, 'mine')).jobs.map(({ id }) => id)).toEqual([jobId]);
  const key = { tenantId: 'mine', kind: 'taxonomy', id: 'default' } as const;
  const rules = await db.readAs('mine', (_, rows) => getRules(rows, key));
  expect(rules).toMatchObject({ createdBy: { name: 'key of mine' } });
  expect(await getJob(db, 'theirs', jobId)).toBeNull();
  expect(await getResult(db, 'theirs', jobId)).toBeNull();
  expect(await getHistory(db, 'theirs', { jobId })).toEqual([]);
  expect(await getText(db, 'theirs', jobId)).toBeNull();
  expect(await getReasons(db, 'theirs', jobId)).toBeNull();
  expect((await getReasons(db, 'mine', jobId))?.outstanding['summary']).toMatchObject({
    run: 2,
    command: { cause: 'RERUN', isPublished: false },
    calls: { underWay: 1 },
  });
});
