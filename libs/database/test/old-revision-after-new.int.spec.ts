import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { assemble, getJob, getResult, readEnrichedEvents } from '../src/jobs/index.js';
import { allOutcomes, ingested, openedFact, openTestDatabase, outcomeFact, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

const revisions = (documentId: string) =>
  [1, 2].map((revision) => ingested({ documentId, revision, text: `Revision ${revision}.` }));

test('a revision that opens after a newer one settles at once as superseded, with all its outcomes there', async () => {
  const [older, newer] = revisions('late-old');
  if (!older || !newer) throw new Error('two revisions');
  await assemble(db, [openedFact(newer), ...allOutcomes(newer), ...allOutcomes(older)]);
  const { settled } = await assemble(db, [openedFact(older)]);
  expect(settled).toMatchObject([{ state: 'superseded', resultVersion: 1 }]);
  expect(await getJob(db, tenantId, older.jobId)).toMatchObject({ state: 'superseded', supersededBy: 2 });
  expect(await getJob(db, tenantId, newer.jobId)).toMatchObject({ state: 'complete', supersededBy: null });
  expect((await getResult(db, tenantId, older.jobId))?.results).toEqual({});
});

test('a newer revision supersedes the older one that is not settled; late outcomes of the older change nothing', async () => {
  const [older, newer] = revisions('overtaken');
  if (!older || !newer) throw new Error('two revisions');
  await assemble(db, [openedFact(older)]);
  expect((await assemble(db, [openedFact(newer)])).settled).toMatchObject([{ state: 'superseded' }]);
  expect((await assemble(db, [...allOutcomes(older), ...allOutcomes(newer)])).settled).toMatchObject([
    { state: 'complete' },
  ]);
  const document = await db.query('SELECT latest_revision FROM document WHERE document_id = $1', ['overtaken']);
  expect(document).toEqual([{ latest_revision: '2' }]);
});

test('a revision that the gate has refused names the newer one, which let it run on beside', async () => {
  const [older, newer] = revisions('refused');
  if (!older || !newer) throw new Error('two revisions');
  await assemble(db, [{ ...openedFact(older), graceMs: 0 }]);
  await assemble(db, [{ ...openedFact(newer), graceMs: 0 }]);
  expect(await getJob(db, tenantId, older.jobId)).toMatchObject({ state: 'analysing' });
  const { event, ...fact } = outcomeFact('summary', older, { status: 'REFUSED' });
  const refusal = { code: 'SUPERSEDED', message: 'A newer revision is analysed already.', provider: null };
  await assemble(db, [{ ...fact, event: { ...event, outcome: { ...event.outcome, refusal } } }]);
  expect(await getJob(db, tenantId, older.jobId)).toMatchObject({ state: 'superseded', supersededBy: 2 });
});

test('a supersession is published without results, and names the revision that took the place', async () => {
  const [older, newer] = revisions('published');
  if (!older || !newer) throw new Error('two revisions');
  await assemble(db, [openedFact(older), outcomeFact('summary', older), openedFact(newer)]);
  const [settlement] = await db.query<{ id: string }>('SELECT id FROM settlement WHERE job_id = $1', [older.jobId]);
  const events = await readEnrichedEvents(db, [settlement?.id ?? '']);
  expect(events.get(settlement?.id ?? '')?.event).toMatchObject({
    state: 'SUPERSEDED',
    supersededBy: 2,
    resultVersion: 1,
    causationId: newer.eventId,
    outcomes: [{ analysis: 'summary', status: 'DONE', resultJson: null, resultRef: null }],
  });
});
