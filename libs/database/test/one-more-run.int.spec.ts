import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import {
  assemble,
  cancelJob,
  commandOutbox,
  getHistory,
  getJob,
  readRequestedEvents,
  requestRun,
  type RunRequest,
} from '../src/jobs/index.js';
import { allOutcomes, ingested, openedFact, openTestDatabase, outcomeFact, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

const settledDocument = async (documentId: string) => {
  const document = ingested({ documentId });
  await assemble(db, [openedFact(document), ...allOutcomes(document)]);
  return document;
};

const asked = (jobId: string, expectedRun: number, given: Partial<RunRequest> = {}): RunRequest => ({
  tenantId,
  jobId,
  analysis: 'summary',
  expectedRun,
  isFresh: false,
  causationId: 'request-1',
  ...given,
});

const commandsOf = async (jobId: string): Promise<string[]> => {
  const rows = await db.query<{ id: string }>(
    'SELECT c.id FROM command c JOIN outbox o ON o.row_id = c.id AND o.topic = $2 WHERE c.job_id = $1',
    [jobId, commandOutbox],
  );
  return rows.map(({ id }) => id);
};

test('many requests at once for the same next run allocate it once', async () => {
  const { jobId } = await settledDocument('many-requests');
  const answers = await Promise.all(Array.from({ length: 20 }, () => requestRun(db, asked(jobId, 1))));
  const kinds = answers.map((answer) => answer?.kind);
  expect(kinds.filter((kind) => kind === 'requested')).toHaveLength(1);
  expect(kinds.filter((kind) => kind === 'moved')).toHaveLength(19);
  expect(await commandsOf(jobId)).toHaveLength(1);
  expect(await getJob(db, tenantId, jobId)).toMatchObject({ state: 'complete', runs: { summary: 2, sentiment: 1 } });
});

test('the command carries the whole document, so that nothing depends on how long topics are kept', async () => {
  const document = await settledDocument('whole-document');
  await requestRun(db, asked(document.jobId, 1, { isFresh: true }));
  const [id = ''] = await commandsOf(document.jobId);
  const rendered = (await readRequestedEvents(db, [id])).get(id);
  const { tenantId: tenant, documentId, revision, jobId, text, textSha256, metadata } = document;
  expect(rendered).toMatchObject({
    analysis: 'summary',
    event: { tenantId: tenant, documentId, revision, jobId, text, textSha256, metadata, eventId: id },
  });
  expect(rendered?.event).toMatchObject({ run: 2, cause: 'RERUN', fresh: true, causationId: 'request-1' });
});

test('the outcome of a run that was asked for settles the job once more; that of a run nobody asked for is poison', async () => {
  const document = await settledDocument('settles-again');
  const forged = await assemble(db, [outcomeFact('summary', document, { run: 2 })]);
  expect(forged.results[0]).toMatchObject({ code: 'INVALID_EVENT' });
  await requestRun(db, asked(document.jobId, 1));
  const { settled } = await assemble(db, [outcomeFact('summary', document, { run: 2 })]);
  expect(settled).toMatchObject([{ state: 'complete', resultVersion: 2 }]);
  const history = await getHistory(db, tenantId, { jobId: document.jobId });
  expect(history.map(({ type }) => type).slice(-3)).toEqual(['run-requested', 'outcome-recorded', 'settled']);
});

test('a run that fails does not destroy the result that was there', async () => {
  const document = await settledDocument('failed-run');
  await requestRun(db, asked(document.jobId, 1));
  const { settled } = await assemble(db, [outcomeFact('summary', document, { run: 2, status: 'FAILED' })]);
  expect(settled).toEqual([]);
  expect(await getJob(db, tenantId, document.jobId)).toMatchObject({ state: 'complete', resultVersion: 1 });
});

test('a job of another tenant cannot be run again or cancelled: it does not exist', async () => {
  const { jobId } = await settledDocument('of-acme');
  expect(await requestRun(db, asked(jobId, 1, { tenantId: 'other' }))).toBeNull();
  expect(await cancelJob(db, { tenantId: 'other', jobId, reason: 'x', causationId: 'r' })).toBeNull();
  expect(await requestRun(db, asked('no-uuid', 1))).toBeNull();
});

test('a job that is not settled is cancelled once, and its late outcomes are kept and change nothing', async () => {
  const document = ingested({ documentId: 'cancelled' });
  await assemble(db, [openedFact(document)]);
  const cancel = () =>
    cancelJob(db, { tenantId, jobId: document.jobId, reason: 'No longer wanted.', causationId: 'r' });
  const answers = await Promise.all([cancel(), cancel(), cancel()]);
  expect(answers.map((answer) => answer?.kind)).toEqual(['cancelled', 'cancelled', 'cancelled']);
  const { results, settled } = await assemble(db, allOutcomes(document));
  expect(new Set(results)).toEqual(new Set(['recorded']));
  expect(settled).toEqual([]);
  const job = await getJob(db, tenantId, document.jobId);
  expect(job).toMatchObject({ state: 'cancelled', reason: 'No longer wanted.', resultVersion: 1 });
  expect(await requestRun(db, asked(document.jobId, 1))).toEqual({ kind: 'closed', state: 'cancelled' });
});

test('a job that has settled is not cancelled', async () => {
  const { jobId } = await settledDocument('settled-before');
  const answer = await cancelJob(db, { tenantId, jobId, reason: 'x', causationId: 'r' });
  expect(answer).toMatchObject({ kind: 'refused', job: { state: 'complete' } });
});
