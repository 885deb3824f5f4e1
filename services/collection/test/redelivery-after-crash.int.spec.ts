import { getHistory } from '@anabranch/database/jobs';
import { eventually } from '@anabranch/test-support';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { ingested, Installation, tenantId, type RunningCollector } from './harness/installation.js';

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

const allEnriched = (events: readonly { documentId: string }[]): Promise<boolean> =>
  eventually(() => events.every((event) => installation.enrichedOf(event).length > 0), { timeoutMs: 50_000 });

test('connections to Postgres that are cut again and again lose nothing, double nothing and dead-letter nothing', async () => {
  collector = await installation.startCollector();
  const events = Array.from({ length: 60 }, () => ingested());
  let isDone = false;
  let cuts = 0;
  const cutting = (async () => {
    // Few, because each one makes the consumer wait a little longer before it probes again.
    while (!isDone && cuts < 5) {
      cuts += await cutConnections();
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await Promise.all(events.map((event) => installation.publishDocument(event)));
  await Promise.all(events.map((event) => installation.publishOutcomes(event)));
  await allEnriched(events);
  isDone = true;
  await cutting;
  expect(cuts).toBeGreaterThan(0);
  for (const event of events) {
    const ids = new Set(installation.enrichedOf(event).map(({ event: { eventId } }) => eventId));
    expect(ids.size).toBe(1);
    expect(await getHistory(installation.db, tenantId, { jobId: event.jobId })).toHaveLength(8);
  }
  expect(await installation.deadLetters()).toBe(0);
});

test('what a stopped collector had not finished is finished by the next one', async () => {
  const events = Array.from({ length: 20 }, () => ingested());
  for (const event of events) await installation.publishDocument(event);
  await collector?.close();
  collector = undefined;
  for (const event of events) await installation.publishOutcomes(event);
  collector = await installation.startCollector();
  await allEnriched(events);
  for (const event of events)
    expect(new Set(installation.enrichedOf(event).map(({ event: { eventId } }) => eventId)).size).toBe(1);
  expect(await installation.deadLetters()).toBe(0);
});

/** Ends the collector's connections, in whatever they are doing. */
async function cutConnections(): Promise<number> {
  const rows = await installation.db.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'anabranch collection%' AND state <> 'idle'`,
  );
  return rows.length;
}
