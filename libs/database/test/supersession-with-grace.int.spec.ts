import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { assemble, getJob, passDeadlines, type OpenedDocument } from '../src/jobs/index.js';
import { allOutcomes, ingested, openedFact, openTestDatabase, outcomeFact, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

const revisionOf = (documentId: string, revision: number) =>
  ingested({ documentId, revision, text: `Revision ${revision}.` });
/** A document whose grace is always over. */
const impatient = (event: OpenedDocument['event']): OpenedDocument => ({ ...openedFact(event), graceMs: -1 });
const statesOf = async (events: readonly { jobId: string }[]): Promise<(string | undefined)[]> => {
  const jobs = await Promise.all(events.map(({ jobId }) => getJob(db, tenantId, jobId)));
  return jobs.map((job) => job?.state);
};

test('revisions that come faster than they are worked do not starve the document: the oldest job runs on', async () => {
  const revisions = [1, 2, 3, 4].map((revision) => revisionOf('fast', revision));
  for (const event of revisions) await assemble(db, [impatient(event)]);
  expect(await statesOf(revisions)).toEqual(['analysing', 'superseded', 'superseded', 'analysing']);
  const { settled } = await assemble(db, allOutcomes(revisions[0]!));
  expect(settled).toMatchObject([{ state: 'complete' }]);
  await assemble(db, allOutcomes(revisions[3]!));
  expect(await statesOf(revisions)).toEqual(['complete', 'superseded', 'superseded', 'complete']);
});

test('results are published in order: once the newer one is, the older job that ran on is superseded', async () => {
  const [older, newer] = [1, 2].map((revision) => revisionOf('in-order', revision));
  await assemble(db, [impatient(older!)]);
  await assemble(db, [impatient(newer!)]);
  expect(await statesOf([older!, newer!])).toEqual(['analysing', 'analysing']);
  const { settled } = await assemble(db, allOutcomes(newer!));
  expect(settled.map(({ jobId, state }) => [jobId, state])).toEqual([
    [newer!.jobId, 'complete'],
    [older!.jobId, 'superseded'],
  ]);
  expect((await assemble(db, allOutcomes(older!))).settled).toEqual([]);
  expect(await getJob(db, tenantId, older!.jobId)).toMatchObject({ state: 'superseded', supersededBy: 2 });
});

test('within the grace time a newer revision takes the place of the older job at once', async () => {
  const [older, newer] = [1, 2].map((revision) => revisionOf('patient', revision));
  await assemble(db, [openedFact(older!), openedFact(newer!)]);
  expect(await statesOf([older!, newer!])).toEqual(['superseded', 'analysing']);
});

test('a result that was published a moment ago starts the grace time anew', async () => {
  const revisions = [1, 2, 3].map((revision) => revisionOf('published-before', revision));
  await assemble(db, [openedFact(revisions[0]!), ...allOutcomes(revisions[0]!)]);
  await db.query("UPDATE document SET created_at = now() - interval '1 day' WHERE document_id = 'published-before'");
  await assemble(db, [openedFact(revisions[1]!)]);
  await assemble(db, [openedFact(revisions[2]!)]);
  expect(await statesOf(revisions)).toEqual(['complete', 'superseded', 'analysing']);
});

test('a newer result that is published by its deadline ends the older job, too', async () => {
  const [older, newer] = [1, 2].map((revision) => revisionOf('by-deadline', revision));
  await assemble(db, [impatient(older!)]);
  await assemble(db, [{ ...impatient(newer!), receivedAt: Date.now() - 3_600_000 }, outcomeFact('summary', newer!)]);
  const { jobId, documentId } = newer!;
  await passDeadlines(db, [{ jobId, tenantId, documentId, deadlineAt: 0 }]);
  expect(await statesOf([older!, newer!])).toEqual(['superseded', 'partial']);
});
