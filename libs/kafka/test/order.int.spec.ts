import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import { Platform } from './harness/platform.js';
import { readTopic } from './harness/read-topic.js';

describe('order', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start({ partitions: 2 });
  });
  afterAll(() => platform.close());

  it('holds per document, through slow, failing and concurrent handlers, on the result topic as well', async () => {
    const documents = Array.from({ length: 8 }, (_, index) => `document-${index}`);
    const revisions = Array.from({ length: 50 }, (_, index) => index + 1);
    const group = platform.uniqueGroup();
    const running = new Set<string>();
    const overlaps: string[] = [];
    let mostRunning = 0;
    const hasFailed = new Set<string>();
    const consumer = platform.consumer({
      group,
      topics: {
        'document.ingested': {
          handler: async ({ event: { tenantId, documentId, revision } }) => {
            if (running.has(documentId)) overlaps.push(`${documentId} r${revision}`);
            running.add(documentId);
            mostRunning = Math.max(mostRunning, running.size);
            try {
              await new Promise((resolve) => setTimeout(resolve, (revision * 7) % 11));
              const name = `${documentId}/${revision}`;
              if (revision % 10 === 0 && !hasFailed.has(name)) {
                hasFailed.add(name);
                throw new Error('an accident of the moment');
              }
              const event = { tenantId, documentId, revision, jobId: '', eventId: name, occurredAt: Date.now() };
              await platform.producer.publish('document.enriched', {
                ...event,
                state: 'COMPLETE',
                resultVersion: 1,
                final: true,
                outcomes: [],
              });
            } finally {
              running.delete(documentId);
            }
          },
        },
      },
      settings: {
        maxInFlight: 16,
        retry: { maxAttempts: 5, maxBugAttempts: 2, maxAgeMs: 60_000, firstWaitMs: 20, maxWaitMs: 50 },
      },
    });
    for (const revision of revisions) {
      await Promise.all(documents.map((documentId) => platform.publish(documentId, 'text', { revision })));
    }
    await consumer.start();
    const count = documents.length * revisions.length;
    await eventually(async () => [...(await platform.committed(group)).values()].reduce((a, b) => a + b, 0) === count);

    expect(overlaps).toEqual([]);
    expect(mostRunning).toBeGreaterThan(4);
    const published = await readTopic(platform.config, 'document.enriched', count);
    for (const documentId of documents) {
      const ids = published
        .filter(({ key }) => String(key) === documentId)
        .map(({ headers }) => String(headers.find(([name]) => name === 'ce_id')?.[1]));
      expect(ids).toEqual(revisions.map((revision) => `${documentId}/${revision}`));
    }
  });

  it('does not make two tenants with one document id wait for each other', async () => {
    const release = Promise.withResolvers<void>();
    const finished: string[] = [];
    const consumer = platform.consumer({
      group: platform.uniqueGroup(),
      topics: {
        'document.ingested': {
          handler: async ({ event: { tenantId, documentId } }) => {
            if (documentId !== 'shared') return;
            if (tenantId === 'first') await release.promise;
            finished.push(tenantId);
          },
        },
      },
    });
    await platform.publish('shared', 'slow', { tenantId: 'first' });
    await platform.publish('shared', 'fast', { tenantId: 'second' });
    await consumer.start();
    await eventually(() => finished.includes('second'));
    release.resolve();
    await eventually(() => finished.includes('first'));
    expect(finished).toEqual(['second', 'first']);
  });
});
