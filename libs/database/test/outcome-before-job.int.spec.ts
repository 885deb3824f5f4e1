import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { assemble, getHistory, getJob, getResult } from '../src/jobs/index.js';
import { allOutcomes, assembleOneByOne, ingested, openedFact, openTestDatabase, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

test('outcomes that come before their job are stored, and counted when it opens', async () => {
  const event = ingested();
  await assembleOneByOne(db, allOutcomes(event));
  expect(await getJob(db, tenantId, event.jobId)).toBeNull();

  const { settled } = await assemble(db, [openedFact(event)]);
  expect(settled).toMatchObject([{ state: 'complete', resultVersion: 1 }]);
  const result = await getResult(db, tenantId, event.jobId);
  expect(result).toMatchObject({ state: 'complete', final: true, receipt: { complete: true } });
  const history = await getHistory(db, tenantId, { jobId: event.jobId });
  expect(history.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(history.at(-1)).toMatchObject({ type: 'settled', data: { state: 'complete', resultVersion: 1 } });
});

test('outcomes about another text that came before the job are dropped, and the right ones count', async () => {
  const event = ingested();
  const foreign = allOutcomes({ ...event, textSha256: 'f'.repeat(64) });
  await assembleOneByOne(db, [...foreign, ...allOutcomes(event)]);
  expect((await assemble(db, [openedFact(event)])).settled).toMatchObject([{ state: 'complete' }]);
  const outcomes = await db.query('SELECT DISTINCT text_sha256 FROM outcome WHERE job_id = $1', [event.jobId]);
  expect(outcomes).toEqual([{ text_sha256: event.textSha256 }]);
});

test('an outcome and the opening of its job, told at the same time by two collectors, are not lost to each other', async () => {
  for (let round = 0; round < 20; round++) {
    const event = ingested();
    const outcomes = allOutcomes(event);
    const answers = await Promise.all([
      ...outcomes.map((fact) => assemble(db, [fact])),
      assemble(db, [openedFact(event)]),
    ]);
    expect(answers.flatMap(({ settled }) => settled)).toMatchObject([{ state: 'complete', resultVersion: 1 }]);
  }
});
