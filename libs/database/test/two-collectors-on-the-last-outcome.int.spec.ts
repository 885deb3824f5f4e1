import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { assemble, getHistory, getResult } from '../src/jobs/index.js';
import { allOutcomes, connect, ingested, openedFact, openTestDatabase, tenantId } from './fixtures.js';

let db: Database;
let other: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  const opened = await openTestDatabase();
  ({ db } = opened);
  other = await connect(opened.url);
  close = async () => {
    await other.close();
    await opened.close();
  };
});
afterAll(() => close());

test('two collectors with the last two outcomes at the same time settle the job once, and complete', async () => {
  for (let round = 0; round < 30; round++) {
    const event = ingested();
    const [fifth, fourth, ...rest] = allOutcomes(event);
    if (!fifth || !fourth) throw new Error('five outcomes');
    await assemble(db, [openedFact(event), ...rest]);
    const answers = await Promise.all([assemble(db, [fourth]), assemble(other, [fifth])]);
    expect(answers.flatMap(({ settled }) => settled)).toMatchObject([{ state: 'complete', resultVersion: 1 }]);
    expect((await getResult(db, tenantId, event.jobId))?.receipt.complete).toBe(true);
  }
});

test('two collectors that both read the whole partition settle each job once, without a gap in any history', async () => {
  const events = Array.from({ length: 40 }, () => ingested());
  const facts = events.flatMap((event) => [openedFact(event), ...allOutcomes(event)]);
  const answers = await Promise.all([assemble(db, facts), assemble(other, facts.toReversed()), assemble(db, facts)]);
  expect(answers.flatMap(({ settled }) => settled)).toHaveLength(events.length);
  for (const { jobId } of events) {
    const numbers = (await getHistory(db, tenantId, { jobId })).map(({ number }) => number);
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  }
  expect(await db.query('SELECT count(*)::int AS n FROM settlement GROUP BY job_id HAVING count(*) > 1')).toEqual([]);
});
