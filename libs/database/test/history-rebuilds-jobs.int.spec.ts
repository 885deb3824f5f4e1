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

test('a row that says something else is found, and put right', async () => {
  const document = ingested({ documentId: 'damaged' });
  await assemble(db, [openedFact(document), outcomeFact('summary', document)]);
  const before = await getJob(db, tenantId, document.jobId);
  await db.query("UPDATE job SET state = 'complete', sequence = 99, reason = 'x' WHERE id = $1", [document.jobId]);
  await db.query('UPDATE job_analysis SET wanted_run = 7, effective_run = NULL WHERE job_id = $1', [document.jobId]);
  expect((await rebuildJobs(db, { isDryRun: true })).differing).toEqual([document.jobId]);
  expect(await getJob(db, tenantId, document.jobId)).toMatchObject({ state: 'complete' });
  expect((await rebuildJobs(db, { isDryRun: false })).differing).toEqual([document.jobId]);
  const after = await getJob(db, tenantId, document.jobId);
  expect({ ...after, updatedAt: null }).toEqual({ ...before, updatedAt: null });
  expect((await rebuildJobs(db, { isDryRun: true })).differing).toEqual([]);
});
