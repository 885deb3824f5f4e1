import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { acceptDocument, assemble, deferRun, dueDependencies, getJob, releaseRuns } from '../src/jobs/index.js';
import type { Database } from '../src/index.js';
import { analyses, ingested, newDocument, openedFact, openTestDatabase } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

// What is written lies in the future of a clock that was set back afterwards.
const setBack = (statement: string) => db.query(`${statement} + interval '1 hour'`);

test('a clock that was set back makes no analysis unknown, at neither door', async () => {
  await setBack('UPDATE analysis SET enabled_from = enabled_from');
  const accepted = await acceptDocument(db, newDocument({ documentId: 'at the door' }));
  expect(Object.keys((await getJob(db, 'acme', accepted.job.id))?.analyses ?? {}).sort()).toEqual(analyses);
  const document = ingested({ documentId: 'from Kafka' });
  await assemble(db, [openedFact(document)]);
  expect(await getJob(db, 'acme', document.jobId)).toMatchObject({ state: 'analysing' });
});

test('a run that was deferred before the clock was set back does not wait for the clock as well', async () => {
  const document = ingested({ documentId: 'deferred' });
  await assemble(db, [openedFact(document)]);
  const { jobId, documentId, tenantId } = document;
  const deferred = { jobId, documentId, tenantId, analysis: 'summary', run: 1, reason: 'QUOTA', dependency: 'p' };
  await deferRun(db, { ...deferred, askedAt: Date.now(), waitMs: 60_000 });
  expect((await dueDependencies(db)).size).toBe(0);
  await setBack("UPDATE deferred SET due_at = due_at + interval '1 hour', deferred_at = deferred_at");
  expect((await dueDependencies(db)).get('p')).toBe(1);
  expect(await releaseRuns(db, { dependency: 'p', limit: 5 })).toEqual([{ jobId, analysis: 'summary', run: 1 }]);
});
