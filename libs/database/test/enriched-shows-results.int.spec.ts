import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { assemble, getResult, readEnrichedEvents } from '../src/jobs/index.js';
import { allOutcomes, analyses, ingested, openedFact, openTestDatabase, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const said = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(said.map(([name, inner]) => [name, withoutNulls(inner)]));
};

test('results are published in the order of their schemas, without nulls, whatever order Postgres keeps', async () => {
  const event = ingested();
  const outcomes = allOutcomes(event);
  await assemble(db, [openedFact(event), ...outcomes]);
  const [settlement] = await db.query<{ id: string }>('SELECT id FROM settlement WHERE job_id = $1', [event.jobId]);
  const enriched = (await readEnrichedEvents(db, [settlement?.id ?? ''])).get(settlement?.id ?? '')?.event;
  // The examples are written in the order of the schemas, and none of their nulls is an answer.
  const expected = outcomes.map(({ analysis, event: { outcome } }) => [
    analysis,
    JSON.stringify(withoutNulls(outcome.result)),
  ]);
  const published = enriched?.outcomes.map(({ analysis, resultJson }) => [analysis, resultJson]);
  expect(Object.fromEntries(published ?? [])).toEqual(Object.fromEntries(expected));
  expect(published?.map(([analysis]) => analysis)).toEqual(analyses);
});

test('results are kept as they were said, nulls included, by analysis in order', async () => {
  const event = ingested();
  const outcomes = allOutcomes(event);
  await assemble(db, [openedFact(event), ...outcomes.toReversed()]);
  const result = await getResult(db, tenantId, event.jobId);
  expect(Object.keys(result?.results ?? {})).toEqual(analyses);
  for (const { analysis, event: said } of outcomes) expect(result?.results[analysis]).toEqual(said.outcome.result);
});
