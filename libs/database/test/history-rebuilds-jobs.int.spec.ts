import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Database } from '../src/index.js';
import { assemble, cancelJob, getJob, passDeadlines, rebuildJobs, requestRun } from '../src/jobs/index.js';
import { analyses, ingested, openedFact, openTestDatabase, outcomeFact, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

type Step = ['open' | 'late' | 'cancel'] | ['outcome' | 'run', number];
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom<Step>(['open'], ['late'], ['cancel']),
  fc.tuple(fc.constantFrom('outcome', 'run'), fc.nat(analyses.length - 1)) as fc.Arbitrary<Step>,
);

/** Does to a document whatever the steps say; what does not fit is refused and changes nothing. */
async function play(documentId: string, steps: readonly Step[]): Promise<void> {
  const document = ingested({ documentId });
  const { jobId } = document;
  for (const [what, at = 0] of [['open'] as Step, ...steps]) {
    const analysis = analyses[at] ?? '';
    if (what === 'open') await assemble(db, [openedFact(document, Date.now() - 3_600_000)]);
    if (what === 'late') await passDeadlines(db, [{ jobId, tenantId, documentId, deadlineAt: 0 }]);
    if (what === 'cancel') await cancelJob(db, { tenantId, jobId, reason: 'No longer wanted.', causationId: 'r' });
    const run = (await getJob(db, tenantId, jobId))?.runs[analysis] ?? 1;
    if (what === 'outcome') await assemble(db, [outcomeFact(analysis, document, { run })]);
    if (what === 'run') {
      await requestRun(db, { tenantId, jobId, analysis, expectedRun: run, isFresh: false, causationId: 'r' });
    }
  }
}

test('every job is what its history says, whatever happened to it', async () => {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      number += 1;
      await play(`played-${number}`, steps);
    }),
    { numRuns: 40 },
  );
  const { jobs, differing } = await rebuildJobs(db, { isDryRun: true, batchSize: 7 });
  expect(jobs).toBe(number);
  expect(differing).toEqual([]);
});

/** All that a client or a service reads of jobs. */
const projection = () =>
  db.query(`
    SELECT to_jsonb(j) - 'correlation_id' - 'traceparent' AS job, d.latest_revision,
           (SELECT jsonb_agg(to_jsonb(a) ORDER BY analysis) FROM job_analysis a WHERE a.job_id = j.id) AS analyses
    FROM job j JOIN document d USING (tenant_id, document_id) ORDER BY j.id`);

const documents = () => db.query('SELECT * FROM document ORDER BY tenant_id, document_id');

test.each([
  ['a state', "UPDATE job SET state = 'complete', sequence = 99, reason = 'x', superseded_by = 3, result_version = 9"],
  ['a deadline, or a time', "UPDATE job SET deadline_at = now(), created_at = now(), updated_at = '2001-01-01'"],
  ['an outcome', 'UPDATE job_analysis SET wanted_run = 7, effective_run = NULL'],
  ['rows of analyses that are gone', 'DELETE FROM job_analysis'],
  [
    'an analysis that nobody asked for',
    "INSERT INTO job_analysis (job_id, analysis, tenant_id, wanted_run) SELECT id, 'x', tenant_id, 1 FROM job",
  ],
  ['rows of jobs that are gone', 'WITH gone AS (DELETE FROM job) DELETE FROM job_analysis'],
  ['all rows that are gone', 'WITH gone AS (DELETE FROM job), g2 AS (DELETE FROM job_analysis) DELETE FROM document'],
])('what says something else than the history is found, and put right: %s', async (_, damage) => {
  const before = await projection();
  const all = before.map(({ job }) => (job as { id: string }).id);
  await db.query(damage);
  const damaged = [await projection(), await documents()];
  expect((await rebuildJobs(db, { isDryRun: true, batchSize: 7 })).differing).toEqual(all);
  expect([await projection(), await documents()]).toEqual(damaged);
  expect(await projection()).not.toEqual(before);
  expect((await rebuildJobs(db, { isDryRun: false, batchSize: 7 })).differing).toEqual(all);
  expect(await projection()).toEqual(before);
  expect((await rebuildJobs(db, { isDryRun: true })).differing).toEqual([]);
});
