import { getJob, getResult } from '@anabranch/database/jobs';
import { eventually } from '@anabranch/test-support';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { analyses, ingested, Installation, tenantId, type RunningCollector } from './harness/installation.js';

jest.setTimeout(60_000);

let installation: Installation;
let collector: RunningCollector | undefined;

beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(async () => {
  await collector?.close();
  await installation.close();
});

const settled = (event: { documentId: string }, count = 1): Promise<boolean> =>
  eventually(() => installation.enrichedOf(event).length >= count, { timeoutMs: 50_000 });

test('after an outage of the collector nothing turns late that came in time', async () => {
  collector = await installation.startCollector();
  const events = Array.from({ length: 20 }, () => ingested({ deadlineMs: 600_000 }));
  for (const event of events) await installation.publishDocument(event);
  await eventually(async () => {
    const jobs = await Promise.all(events.map(({ jobId }) => getJob(installation.db, tenantId, jobId)));
    return jobs.every((job) => job?.state === 'analysing');
  });
  await collector.close();
  for (const event of events) await installation.publishOutcomes(event);
  // The deadline passes while the collector is away, after the outcomes have come.
  const passed = await installation.db.query(
    "UPDATE job SET deadline_at = now() WHERE id = ANY($1::uuid[]) AND state = 'analysing' RETURNING id",
    [events.map(({ jobId }) => jobId)],
  );
  expect(passed).toHaveLength(events.length);
  collector = await installation.startCollector();
  await Promise.all(events.map((event) => settled(event)));
  for (const { jobId } of events) {
    expect(await getJob(installation.db, tenantId, jobId)).toMatchObject({ state: 'complete', resultVersion: 1 });
  }
});

test('a job settles at its deadline without what is missing, and once more when that comes', async () => {
  collector ??= await installation.startCollector();
  const event = ingested({ deadlineMs: 1 });
  await installation.publishDocument(event);
  await installation.publishOutcomes(event, analyses.slice(1));
  await settled(event);
  const [first] = installation.enrichedOf(event);
  expect(first?.event).toMatchObject({ state: 'PARTIAL', final: false, resultVersion: 1 });
  await installation.publishOutcomes(event, analyses.slice(0, 1));
  await eventually(async () => {
    const result = await getResult(installation.db, tenantId, event.jobId);
    return result?.state === 'complete' && result.final;
  });
  const states = () => installation.enrichedOf(event).map(({ event: { state } }) => state);
  await eventually(() => states().includes('COMPLETE'));
  expect(await installation.deadLetters()).toBe(0);
});
