import { jobIdOf } from '@anabranch/contracts';
import { getJob, getResult } from '@anabranch/database/jobs';
import { eventually } from '@anabranch/test-support';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { analyses, ingested, Installation, tenantId, type RunningCollector } from './harness/installation.js';

jest.setTimeout(60_000);

let installation: Installation;
let collector: RunningCollector;

beforeAll(async () => {
  installation = await Installation.create();
  collector = await installation.startCollector();
});
afterAll(async () => {
  await collector.close();
  await installation.close();
});

const [analysis = ''] = analyses;

test.each([
  ['a language that would be repeated in every outcome', { language: 'x'.repeat(300_000) }],
  ['a revision that has no successor', { revision: Number.MAX_SAFE_INTEGER }],
])('a document with %s is a dead letter, and opens no job', async (_, change) => {
  const before = await installation.deadLetters();
  const sound = { ...ingested(), ...change };
  const event = { ...sound, jobId: jobIdOf(sound) };
  await installation.publishDocument(event);
  await eventually(async () => (await installation.deadLetters()) === before + 1);
  expect(await getJob(installation.db, tenantId, event.jobId)).toBeNull();
});

test('outcomes that no analysis says are dead letters, and the published result stays as it is', async () => {
  const event = ingested();
  await installation.publishDocument(event);
  await installation.publishOutcomes(event);
  await eventually(() => installation.enrichedOf(event).length === 1);
  const result = await getResult(installation.db, tenantId, event.jobId);
  const before = await installation.deadLetters();
  const resultRef = { key: 'other/result', sha256: 'ab'.repeat(32), bytes: 1 };
  const outcome = { status: 'DONE' as const, result: null, refusal: null, failure: null };
  await installation.publishOutcome(analysis, event, { textSha256: '', warnings: ['forged'] });
  await installation.publishOutcome(analysis, event, { run: 2, warnings: ['forged'] });
  await installation.publishOutcome(analysis, event, { outcome });
  await installation.publishOutcome(analysis, event, { outcome, resultRef });
  await eventually(async () => (await installation.deadLetters()) === before + 4);
  expect(await getResult(installation.db, tenantId, event.jobId)).toEqual(result);
  expect(installation.enrichedOf(event)).toHaveLength(1);
});

test('a job whose outcomes are together larger than a record is published all the same', async () => {
  const event = ingested();
  await installation.publishDocument(event);
  for (const name of analyses) {
    await installation.publishOutcome(name, event, { warnings: Array.from({ length: 600 }, () => 'w'.repeat(500)) });
  }
  const [record] = await eventually(() => installation.enrichedOf(event).length > 0 && installation.enrichedOf(event));
  expect(record?.event).toMatchObject({ state: 'COMPLETE', resultVersion: 1 });
  for (const { resultJson, warnings } of record?.event.outcomes ?? []) {
    expect(JSON.parse(resultJson ?? '')).toEqual(expect.any(Object));
    expect(warnings).toEqual([expect.stringContaining('left out')]);
  }
});
