import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { createTenant } from '../src/access/index.js';
import {
  acceptDocument,
  assemble,
  getHistory,
  getJob,
  getResult,
  getText,
  InvalidCursor,
  listJobs,
  type JobFilter,
} from '../src/jobs/index.js';
import { analyses, ingested, newDocument, openedFact, openTestDatabase, outcomeFact, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
  await createTenant(db, 'other');
});
afterAll(() => close());

const [first = '', second = '', ...rest] = analyses;

test('a result carries a receipt of each analysis, and the results that are done', async () => {
  const event = ingested();
  const outcomes = [
    outcomeFact(first, event, { status: 'REFUSED' }),
    outcomeFact(second, event, { status: 'FAILED' }),
    ...rest.map((analysis) => outcomeFact(analysis, event)),
  ];
  await assemble(db, [openedFact(event), ...outcomes]);
  const result = await getResult(db, tenantId, event.jobId);
  expect(result).toMatchObject({
    jobId: event.jobId,
    documentId: event.documentId,
    revision: 1,
    state: 'partial',
    resultVersion: 1,
    resultDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    final: true,
  });
  expect(result?.receipt.complete).toBe(false);
  expect(result?.receipt.analyses[first]).toMatchObject({ outcome: 'refused', run: 1, code: 'NO_CONTENT' });
  expect(result?.receipt.analyses[second]).toMatchObject({
    outcome: 'failed',
    run: 1,
    code: 'HANDLER_FAILED',
    attempts: 2,
  });
  const [done = ''] = rest;
  const example = outcomeFact(done, event).event;
  const { kind, name, version } = example.engine;
  const { charactersRead, charactersTotal, truncated } = example.coverage ?? {};
  expect(result?.receipt.analyses[done]).toMatchObject({
    outcome: 'done',
    engine: { kind, name, version },
    coverage: { charactersRead, charactersTotal, truncated },
  });
  expect(Object.keys(result?.results ?? {}).sort()).toEqual(rest);
  expect(result?.results[done]).toEqual(example.outcome.result);
  expect(result?.resultRefs).toEqual({});
});

test('a job that is not settled has a receipt that says what is waited for, and no results', async () => {
  const event = ingested();
  await assemble(db, [openedFact(event), outcomeFact(first, event)]);
  const result = await getResult(db, tenantId, event.jobId);
  expect(result).toMatchObject({ state: 'analysing', resultVersion: 0, resultDigest: null, final: false, results: {} });
  expect(result?.receipt.analyses[first]).toMatchObject({ outcome: 'done' });
  expect(result?.receipt.analyses[second]).toEqual({ outcome: 'waiting', run: 1 });
  expect((await getJob(db, tenantId, event.jobId))?.analyses).toMatchObject({ [first]: 'done', [second]: 'waiting' });
});

test('a result shows the settlement it is of, while an upgrade has the next number', async () => {
  const event = ingested({ requestedAnalyses: [first] });
  await assemble(db, [openedFact(event), outcomeFact(first, event, { status: 'FAILED' })]);
  const before = await getResult(db, tenantId, event.jobId);
  await db.query('UPDATE job_analysis SET wanted_run = 2 WHERE job_id = $1', [event.jobId]);
  await assemble(db, [outcomeFact(first, event, { run: 2 })]);
  const after = await getResult(db, tenantId, event.jobId);
  expect([before, after]).toMatchObject([
    { state: 'partial', resultVersion: 1, results: {} },
    { state: 'complete', resultVersion: 2, receipt: { complete: true, analyses: { [first]: { run: 2 } } } },
  ]);
  expect(after?.resultDigest).not.toBe(before?.resultDigest);
});

test('a tenant sees nothing of another one, whatever id it guesses', async () => {
  const { job } = await acceptDocument(db, newDocument({ documentId: 'secret' }));
  expect(await getJob(db, tenantId, job.id)).toEqual(job);
  expect(await getJob(db, 'other', job.id)).toBeNull();
  expect(await getResult(db, 'other', job.id)).toBeNull();
  expect(await getText(db, 'other', job.id)).toBeNull();
  expect(await getHistory(db, 'other', { jobId: job.id })).toEqual([]);
  expect((await listJobs(db, 'other')).jobs).toEqual([]);
  for (const id of ['x', '', "'; DROP TABLE job; --"]) expect(await getJob(db, tenantId, id)).toBeNull();
});

test('one document id of two tenants is two documents', async () => {
  const [mine, theirs] = await Promise.all([
    acceptDocument(db, newDocument({ documentId: 'shared' })),
    acceptDocument(db, newDocument({ documentId: 'shared', tenantId: 'other', text: 'Theirs.' })),
  ]);
  expect([mine.job.revision, theirs.job.revision]).toEqual([1, 1]);
  expect(await getText(db, 'other', theirs.job.id)).toMatchObject({ text: 'Theirs.' });
});

test('pages list every job once, newest first, while new ones come', async () => {
  await createTenant(db, 'pages');
  const accept = (at: number) => acceptDocument(db, newDocument({ tenantId: 'pages', documentId: `document ${at}` }));
  const accepted = await Promise.all(Array.from({ length: 25 }, (_, at) => accept(at)));
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await listJobs(db, 'pages', { limit: 7, ...(cursor ? { cursor } : {}) });
    seen.push(...page.jobs.map(({ id }) => id));
    cursor = page.nextCursor;
    await accept(100 + seen.length);
  } while (cursor !== null);
  expect(seen).toHaveLength(25);
  expect(new Set(seen)).toEqual(new Set(accepted.map(({ job }) => job.id)));
  const all = (await listJobs(db, 'pages', { limit: 200 })).jobs.map(({ createdAt }) => createdAt);
  expect(all).toEqual(all.toSorted().reverse());
});

test('jobs are found by state, document and time', async () => {
  await createTenant(db, 'filters');
  const inTenant = { tenantId: 'filters' };
  const one = await acceptDocument(db, newDocument({ ...inTenant, documentId: 'one' }));
  const two = await acceptDocument(db, newDocument({ ...inTenant, documentId: 'one', text: 'Newer.' }));
  const three = await acceptDocument(db, newDocument({ ...inTenant, documentId: 'three' }));
  const ids = async (filter: JobFilter) => (await listJobs(db, 'filters', filter)).jobs.map(({ id }) => id);
  expect(await ids({ state: 'superseded' })).toEqual([one.job.id]);
  expect(new Set(await ids({ documentId: 'one' }))).toEqual(new Set([one.job.id, two.job.id]));
  const at = new Date(three.job.createdAt);
  expect(await ids({ createdAfter: at })).toContain(three.job.id);
  expect(await ids({ createdBefore: at })).not.toContain(three.job.id);
  expect(await ids({ createdAfter: new Date(at.getTime() + 60_000) })).toEqual([]);
});

test.each(['x', '', Buffer.from('1 2').toString('base64url')])(
  'the cursor %p, which no page gave, is refused',
  async (cursor) => {
    await expect(listJobs(db, tenantId, { cursor })).rejects.toThrow(InvalidCursor);
  },
);

test('a history is read from a number on', async () => {
  const event = ingested();
  await assemble(db, [openedFact(event), outcomeFact(first, event)]);
  const history = await getHistory(db, tenantId, { jobId: event.jobId, after: 1, limit: 1 });
  expect(history).toMatchObject([{ number: 2, type: 'analysing', data: {} }]);
  expect(Date.parse(history[0]?.at ?? '')).not.toBeNaN();
});
