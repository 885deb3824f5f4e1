import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Platform } from './harness/platform.js';
import { readTopic } from './harness/read-topic.js';

const topic = 'document.enriched';

describe('a request in which the broker refuses one partition', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await Platform.start({ partitions: 3 });
  });
  afterEach(() => platform.close());

  it('rejects the records of that one only; those of the others are written, once', async () => {
    await platform.limitBatches(topic, 1_000);
    const highs = async () => {
      const ends = await platform.admin.endOffsets(topic);
      return ends.toSorted((one, other) => one.partition - other.partition).map(({ high }) => high);
    };
    const before = await highs();
    const publish = (partition: number, bytes: number) =>
      platform.producer.publishRaw(topic, { key: null, value: Buffer.alloc(bytes), headers: [], partition });
    const settled = await Promise.allSettled([publish(0, 100), publish(1, 2_000), publish(2, 100)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(settled[1]).toMatchObject({ reason: { type: 'MESSAGE_TOO_LARGE' } });
    const after = await highs();
    expect(after.map((high, partition) => high - before[partition]!)).toEqual([1, 0, 1]);
    expect(await readTopic(platform.config, topic, 2)).toHaveLength(2);
  }, 60_000);
});
