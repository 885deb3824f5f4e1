import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { assemble, getJob, getResult, overdueJobs, passDeadlines, readEnrichedEvents } from '../src/jobs/index.js';
import { allOutcomes, analyses, ingested, openedFact, openTestDatabase, outcomeFact, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

/** A document whose time was up before it came. */
const overdue = (documentId: string) => ingested({ documentId, deadlineMs: 1_000 });
const longAgo = Date.now() - 60_000;
const look = () => overdueJobs(db, { known: [], limit: 100 });

test('what is outstanding is late, and the job settles as partial and not final', async () => {
  const document = overdue('two-missing');
  await assemble(db, [openedFact(document, longAgo), ...allOutcomes(document).slice(0, 3)]);
  const found = (await look()).filter(({ jobId }) => jobId === document.jobId);
  expect(found).toMatchObject([{ tenantId, documentId: 'two-missing' }]);
  expect(await passDeadlines(db, found)).toMatchObject([{ state: 'partial', resultVersion: 1 }]);
  const result = await getResult(db, tenantId, document.jobId);
  expect(result).toMatchObject({ state: 'partial', final: false, receipt: { complete: false } });
  const outcomes = Object.values(result?.receipt.analyses ?? {}).map(({ outcome }) => outcome);
  expect(outcomes.toSorted()).toEqual(['done', 'done', 'done', 'late', 'late']);
  const [settlement] = await db.query<{ id: string }>('SELECT id FROM settlement WHERE job_id = $1', [document.jobId]);
  const event = (await readEnrichedEvents(db, [settlement?.id ?? ''])).get(settlement?.id ?? '')?.event;
  expect(event).toMatchObject({ state: 'PARTIAL', final: false });
  expect(event?.outcomes.map(({ status }) => status).toSorted()).toEqual(['DONE', 'DONE', 'DONE', 'LATE', 'LATE']);
});

test('an outcome that comes after all takes the place of late, and the last one completes the job', async () => {
  const document = overdue('after-all');
  await assemble(db, [openedFact(document, longAgo)]);
  await passDeadlines(
    db,
    (await look()).filter(({ jobId }) => jobId === document.jobId),
  );
  expect(await getJob(db, tenantId, document.jobId)).toMatchObject({ state: 'partial', resultVersion: 1 });
  for (const analysis of analyses) await assemble(db, [outcomeFact(analysis, document)]);
  expect(await getResult(db, tenantId, document.jobId)).toMatchObject({
    state: 'complete',
    final: true,
    resultVersion: 1 + analyses.length,
    receipt: { complete: true },
  });
});

test('two that judge the same job at once make one settlement', async () => {
  const document = overdue('judged-twice');
  await assemble(db, [openedFact(document, longAgo)]);
  const found = (await look()).filter(({ jobId }) => jobId === document.jobId);
  const settled = await Promise.all([passDeadlines(db, found), passDeadlines(db, found)]);
  expect(settled.flat()).toHaveLength(1);
});

test('a job that settled meanwhile, or whose time is not up, stays as it is', async () => {
  const [done, early] = [overdue('settled-meanwhile'), ingested({ documentId: 'not-up', deadlineMs: 600_000 })];
  await assemble(db, [openedFact(done, longAgo), openedFact(early)]);
  const found = (await look()).filter(({ jobId }) => jobId === done.jobId);
  expect(found).toHaveLength(1);
  await assemble(db, allOutcomes(done));
  const guess = { tenantId, documentId: 'not-up', jobId: early.jobId, deadlineAt: 0 };
  expect(await passDeadlines(db, [...found, guess])).toEqual([]);
  expect(await getJob(db, tenantId, done.jobId)).toMatchObject({ state: 'complete', resultVersion: 1 });
  expect(await getJob(db, tenantId, early.jobId)).toMatchObject({ state: 'analysing' });
});
