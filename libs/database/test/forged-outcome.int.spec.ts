import type { AnalysisFinished } from '@anabranch/contracts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { acceptDocument, assemble, getResult, type RecordedOutcome } from '../src/jobs/index.js';
import {
  allOutcomes,
  analyses,
  assembleOneByOne,
  ingested,
  newDocument,
  openedFact,
  openTestDatabase,
  outcomeFact,
  tenantId,
} from './fixtures.js';

// Whoever may write to an analysis' topic may write what an analysis never says: a published result must not change by it.

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

const [analysis = ''] = analyses;

const changed = (fact: RecordedOutcome, change: Partial<AnalysisFinished>): RecordedOutcome => ({
  ...fact,
  event: { ...fact.event, ...change },
});

/** Another content for an outcome that has the same id. */
const forgery = (fact: RecordedOutcome, textSha256: string): RecordedOutcome =>
  changed(fact, { textSha256, warnings: ['forged'], outcome: { ...fact.event.outcome, result: { forged: true } } });

async function completeJob() {
  const event = ingested();
  await assemble(db, [openedFact(event), ...allOutcomes(event)]);
  return { event, before: await getResult(db, tenantId, event.jobId) };
}

const rowsOf = (jobId: string) =>
  db.query('SELECT id, text_sha256 FROM outcome WHERE job_id = $1 AND analysis = $2', [jobId, analysis]);

test('an outcome that names no text cannot take the place of a published result', async () => {
  const { event, before } = await completeJob();
  const { results } = await assemble(db, [forgery(outcomeFact(analysis, event), '')]);
  expect(results).toMatchObject([{ code: 'INVALID_EVENT', message: expect.stringContaining('textSha256') }]);
  expect(await getResult(db, tenantId, event.jobId)).toEqual(before);
  expect(await rowsOf(event.jobId)).toHaveLength(1);
});

test('an outcome that names no text and came before its job is refused, too', async () => {
  const event = ingested();
  const fact = outcomeFact(analysis, event, { status: 'REFUSED' });
  expect((await assemble(db, [changed(fact, { textSha256: '' })])).results).toMatchObject([{ code: 'INVALID_EVENT' }]);
  expect(await rowsOf(event.jobId)).toEqual([]);
});

test('a failure may leave the text out, and is stored once, under the digest of its job', async () => {
  const event = ingested();
  const failed = outcomeFact(analysis, event, { status: 'FAILED' });
  const blind = changed(failed, { textSha256: '' });
  const { results } = await assemble(db, [openedFact(event), blind, failed]);
  expect(results.slice(1)).toEqual(['recorded', 'duplicate']);
  expect((await assemble(db, [failed, blind])).results).toEqual(['duplicate', 'duplicate']);
  expect(await rowsOf(event.jobId)).toMatchObject([{ text_sha256: event.textSha256 }]);
});

test.each([
  ['opened by Kafka', (event: ReturnType<typeof ingested>) => assemble(db, [openedFact(event)])],
  ['accepted over HTTP', ({ documentId, text }) => acceptDocument(db, newDocument({ documentId, text }))],
] as [string, (event: ReturnType<typeof ingested>) => Promise<unknown>][])(
  'of the outcomes of one id that came before a job %s, the first stored one counts',
  async (_, open) => {
    const event = ingested({ revision: 1 });
    const failed = outcomeFact(analysis, event, { status: 'FAILED' });
    const first = changed(failed, { textSha256: '', warnings: ['first'] });
    await assembleOneByOne(db, [first, changed(failed, { warnings: ['second'] })]);
    expect(await rowsOf(event.jobId)).toHaveLength(2);
    await open(event);
    expect(await rowsOf(event.jobId)).toMatchObject([{ text_sha256: event.textSha256 }]);
    const result = await getResult(db, tenantId, event.jobId);
    expect(result?.receipt.analyses[analysis]).toMatchObject({ outcome: 'failed', warnings: ['first'] });
  },
);

test('a job whose text cannot be read stores an outcome id once, whatever text the outcomes name', async () => {
  const event = { ...ingested({ text: null, textRef: { key: 'acme/a', sha256: 'ab'.repeat(32), bytes: 1 } }) };
  const unread = { ...event, textSha256: '' };
  const done = outcomeFact(analysis, { ...event, textSha256: 'a'.repeat(64) });
  await assembleOneByOne(db, [openedFact(unread), done]);
  expect((await assemble(db, [forgery(done, 'b'.repeat(64))])).results).toEqual(['duplicate']);
  expect(await rowsOf(event.jobId)).toHaveLength(1);
});

test('a run that nobody asked for is poison, and changes nothing', async () => {
  const { event, before } = await completeJob();
  const { results, settled } = await assemble(db, [outcomeFact(analysis, event, { run: 2 })]);
  expect(results).toMatchObject([{ code: 'INVALID_EVENT', message: expect.stringContaining('run') }]);
  expect(settled).toEqual([]);
  expect(await getResult(db, tenantId, event.jobId)).toEqual(before);
});

test('a run that nobody asked for is dropped and counted when the job opens after it', async () => {
  const event = ingested();
  await assembleOneByOne(db, [outcomeFact(analysis, event, { run: 7 }), ...allOutcomes(event)]);
  const { settled, ignoredEarly } = await assemble(db, [openedFact(event)]);
  expect(ignoredEarly).toBe(1);
  expect(settled).toMatchObject([{ state: 'complete', resultVersion: 1 }]);
  const result = await getResult(db, tenantId, event.jobId);
  expect(result?.receipt.analyses[analysis]).toMatchObject({ outcome: 'done', run: 1 });
});

test('a run that was asked for counts', async () => {
  const { event } = await completeJob();
  await db.query('UPDATE job_analysis SET wanted_run = 2 WHERE job_id = $1 AND analysis = $2', [event.jobId, analysis]);
  const { results, settled } = await assemble(db, [outcomeFact(analysis, event, { run: 2 })]);
  expect(results).toEqual(['recorded']);
  expect(settled).toMatchObject([{ resultVersion: 2 }]);
});

test('an outcome that is done without a result is poison', async () => {
  const event = ingested();
  const done = outcomeFact(analysis, event);
  const empty = changed(done, { outcome: { ...done.event.outcome, result: null }, resultRef: null });
  const { results } = await assemble(db, [openedFact(event), empty]);
  expect(results[1]).toMatchObject({ code: 'INVALID_EVENT', message: expect.stringContaining('resultRef') });
  expect((await getResult(db, tenantId, event.jobId))?.receipt.analyses[analysis]).toMatchObject({
    outcome: 'waiting',
  });
});

const ref = { key: `${tenantId}/9f/1/summary`, sha256: 'ab'.repeat(32), bytes: 70_000 };

test.each([
  ['resultRef.key', { ...ref, key: 'other/9f/1/summary' }],
  ['resultRef.key', { ...ref, key: tenantId }],
  ['resultRef.key', { ...ref, key: `${tenantId}/../other/summary` }],
  ['resultRef.key', { ...ref, key: 'https://example.com/summary' }],
  ['resultRef.sha256', { ...ref, sha256: 'AB'.repeat(32) }],
  ['resultRef.bytes', { ...ref, bytes: -1 }],
])('a claim check with a bad %s is poison: %j', async (field, resultRef) => {
  const event = ingested();
  const done = outcomeFact(analysis, event);
  const stored = changed(done, { outcome: { ...done.event.outcome, result: null }, resultRef });
  const { results } = await assemble(db, [stored]);
  expect(results).toMatchObject([{ code: 'INVALID_EVENT', message: expect.stringContaining(field) }]);
  expect((await assemble(db, [changed(stored, { resultRef: ref })])).results).toEqual(['recorded']);
});
