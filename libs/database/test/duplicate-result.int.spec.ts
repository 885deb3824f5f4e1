import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { assemble, getHistory, getResult } from '../src/jobs/index.js';
import { allOutcomes, analyses, ingested, openedFact, openTestDatabase, outcomeFact, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

test('duplicates of every fact, in one batch or in several, change nothing', async () => {
  const event = ingested();
  const facts = [openedFact(event), ...allOutcomes(event)];
  const first = await assemble(db, [...facts, ...facts]);
  expect(first.settled).toMatchObject([{ state: 'complete', resultVersion: 1 }]);
  const before = await getResult(db, tenantId, event.jobId);
  const history = await getHistory(db, tenantId, { jobId: event.jobId });

  const again = await assemble(db, facts);
  expect(again.settled).toEqual([]);
  expect(again.results.slice(1)).toEqual(analyses.map(() => 'duplicate'));
  expect(await getResult(db, tenantId, event.jobId)).toEqual(before);
  expect(await getHistory(db, tenantId, { jobId: event.jobId })).toEqual(history);
  expect(await db.query('SELECT count(*)::int AS n FROM outbox')).toEqual([{ n: 1 }]);
});

test('the first result of an outcome stays: a repeat that says something else is a duplicate', async () => {
  const event = ingested();
  const [analysis = ''] = analyses;
  const first = outcomeFact(analysis, event);
  const other = { ...first, event: { ...first.event, language: 'xx' } };
  await assemble(db, [openedFact(event), first]);
  expect((await assemble(db, [other])).results).toEqual(['duplicate']);
  const result = await getResult(db, tenantId, event.jobId);
  expect(result?.receipt.analyses[analysis]).toMatchObject({ outcome: 'done', language: first.event.language });
});

test('an outcome about another text than the revision’s is ignored', async () => {
  const event = ingested();
  await assemble(db, [openedFact(event)]);
  const foreign = allOutcomes({ ...event, textSha256: 'f'.repeat(64) });
  const { results, settled } = await assemble(db, foreign);
  expect(results).toEqual(analyses.map(() => 'ignored'));
  expect(settled).toEqual([]);
  expect((await getResult(db, tenantId, event.jobId))?.state).toBe('analysing');
});
