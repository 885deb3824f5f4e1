import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import { Platform } from './harness/platform.js';

describe('one slow key', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start({ partitions: 1 });
  });
  afterAll(() => platform.close());

  it('delays no other key of its partition, and holds the committed offset until it ends', async () => {
    const group = platform.uniqueGroup();
    const release = Promise.withResolvers<void>();
    const finished: string[] = [];
    const consumer = platform.consumer({
      group,
      topics: {
        'document.ingested': {
          handler: async ({ event }) => {
            if (event.documentId === 'slow') await release.promise;
            finished.push(event.documentId);
          },
        },
      },
    });
    await platform.publish('before', 'the committed offset can move at all');
    await platform.publish('slow', 'as slow as a model call');
    const others = Array.from({ length: 20 }, (_, index) => `other-${index}`);
    for (const other of others) await platform.publish(other, 'fast');
    await consumer.start();

    await eventually(() => others.every((other) => finished.includes(other)));
    expect(finished).not.toContain('slow');
    const end = others.length + 2;
    await eventually(async () => (await platform.committed(group)).get(0) === 1);

    // Later commits, which the next record of a fast key makes happen, stay below the slow record as well.
    await platform.publish('other-0', 'once more');
    await eventually(() => finished.filter((id) => id === 'other-0').length === 2);
    expect((await platform.committed(group)).get(0)).toBe(1);

    release.resolve();
    await eventually(async () => (await platform.committed(group)).get(0) === end + 1);
    expect(finished.at(-1)).toBe('slow');
    expect(consumer.health()).toEqual({ ready: true, reasons: [] });
  });
});
