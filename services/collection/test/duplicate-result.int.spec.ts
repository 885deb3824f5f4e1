import { getHistory } from '@anabranch/database/jobs';
import { eventually } from '@anabranch/test-support';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { analyses, ingested, Installation, tenantId, type RunningCollector } from './harness/installation.js';

jest.setTimeout(60_000);

let installation: Installation;
const collectors: RunningCollector[] = [];

beforeAll(async () => {
  installation = await Installation.create();
});
afterAll(async () => {
  for (const collector of collectors) await collector.close();
  await installation.close();
});

const startCollector = async (): Promise<RunningCollector> => {
  const collector = await installation.startCollector();
  collectors.push(collector);
  return collector;
};

test('everything published twice, in any order, gives one enriched event for each document', async () => {
  const events = Array.from({ length: 8 }, () => ingested());
  // Outcomes first, then the documents, then all of it again: duplicates and outcomes before their jobs at once.
  for (const event of events) await installation.publishOutcomes(event, analyses.toReversed());
  for (const event of events) await installation.publishDocument(event);
  await startCollector();
  for (const event of events) {
    await installation.publishDocument(event);
    await installation.publishOutcomes(event);
  }
  await eventually(() => events.every((event) => installation.enrichedOf(event).length > 0));
  // A later document that is through says that everything before it on the same topics was handled.
  await settleMarkers();
  for (const event of events) {
    expect(installation.enrichedOf(event).map(({ event: { state, resultVersion } }) => [state, resultVersion])).toEqual(
      [['COMPLETE', 1]],
    );
    expect((await getHistory(installation.db, tenantId, { jobId: event.jobId })).map(({ number }) => number)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]);
  }
});

test('an old revision that arrives after a newer one is superseded, whatever came before', async () => {
  const documentId = 'late-old-revision';
  const [older, newer] = [1, 2].map((revision) => ingested({ documentId, revision, text: `Revision ${revision}.` }));
  if (!older || !newer) throw new Error('two revisions');
  await installation.publishOutcomes(older);
  await installation.publishDocument(newer);
  await installation.publishOutcomes(newer);
  await eventually(() => installation.enrichedOf(newer).length === 1);
  await installation.publishDocument(older);
  await eventually(() => installation.enrichedOf(older).length === 2);
  const states = installation
    .enrichedOf(older)
    .map(({ event: { revision, state, supersededBy } }) => [revision, state, supersededBy]);
  expect(states).toEqual([
    [2, 'COMPLETE', null],
    [1, 'SUPERSEDED', 2],
  ]);
});

test('two collectors share the partitions and settle each job once', async () => {
  await startCollector();
  const events = Array.from({ length: 30 }, () => ingested());
  await Promise.all(
    events.flatMap((event) => [installation.publishDocument(event), installation.publishOutcomes(event)]),
  );
  await eventually(() => events.every((event) => installation.enrichedOf(event).length > 0));
  await settleMarkers();
  for (const event of events) expect(installation.enrichedOf(event)).toHaveLength(1);
  expect(installation.failures).toEqual([]);
});

test('a second text under a revision, and a wrong job id, are dead letters; others flow', async () => {
  const before = await installation.deadLetters();
  const first = ingested({ text: 'First.' });
  const second = ingested({ documentId: first.documentId, text: 'Second.' });
  await installation.publishDocument(first);
  await installation.publishDocument(second);
  await installation.publishOutcome(analyses[0] ?? '', first, { jobId: second.eventId });
  await installation.publishOutcome(analyses[0] ?? '', ingested({ tenantId: 'stranger' }));
  await installation.publishOutcomes(first);
  await eventually(() => installation.enrichedOf(first).length === 1);
  await eventually(async () => (await installation.deadLetters()) === before + 3);
});

/** Publishes a document for each partition and waits until it is through. */
async function settleMarkers(): Promise<void> {
  const markers = Array.from({ length: 8 }, () => ingested());
  for (const marker of markers) await installation.publishDocument(marker);
  for (const marker of markers) await installation.publishOutcomes(marker);
  await eventually(() => markers.every((marker) => installation.enrichedOf(marker).length > 0));
}
