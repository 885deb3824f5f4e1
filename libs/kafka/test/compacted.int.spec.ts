import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import kafkajs from 'kafkajs';
import { topicNameOf } from '../src/kafka-config.js';
import { Platform } from './harness/platform.js';
import { TopicReader } from './harness/topic-reader.js';

const revisions = [1, 2, 3, 4];
const documents = Array.from({ length: 6 }, (_, index) => `document-${index}`);
/** The broker's cleaner looks every 15 s. */
const cleaning = { timeoutMs: 90_000, everyMs: 500 };

describe('a topic that is compacted', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await Platform.start({ partitions: 1 });
    const client = new kafkajs.Kafka({ brokers: [...platform.config.brokers], logLevel: kafkajs.logLevel.NOTHING });
    const admin = client.admin();
    await admin.connect();
    const settings = {
      'cleanup.policy': 'compact',
      'min.cleanable.dirty.ratio': '0.001',
      'min.compaction.lag.ms': '0',
      // Whatever comes later than this begins a segment; the one that is written to is never compacted.
      'segment.ms': '1',
    };
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
    const name = topicNameOf(platform.config, 'document.ingested');
    const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name, configEntries }];
    await admin.alterConfigs({ validateOnly: false, resources });
    await admin.disconnect();
  });
  afterEach(() => platform.close());

  const publishAll = async () => {
    for (const revision of revisions) {
      for (const documentId of documents) await platform.publish(documentId, 'text', { revision });
    }
  };
  const start = async (group: string, handled: string[]) => {
    const consumer = platform.consumer({
      group,
      topics: {
        'document.ingested': {
          handler: ({ event: { documentId, revision }, offset }) =>
            Promise.resolve(void handled.push(`${documentId}/${revision}@${offset}`)),
        },
      },
    });
    await consumer.start();
    return consumer;
  };
  /** What is still there, when of all documents but the last written ones only the newest revision is. */
  const whenCompacted = () =>
    eventually(async () => {
      const left = await readAll();
      return left.length < 2 * documents.length ? left : undefined;
    }, cleaning);
  const readAll = async () => {
    const reader = await TopicReader.start(platform.config, [topicNameOf(platform.config, 'document.ingested')]);
    await reader.reach(await platform.admin.endOffsets('document.ingested'));
    await reader.stop();
    return reader.records;
  };

  it('is handled as far as it is still there, in order, and the lag reaches zero', async () => {
    await publishAll();
    const left = await whenCompacted();
    const handled: string[] = [];
    const group = platform.uniqueGroup();
    await start(group, handled);
    await eventually(() => platform.hasNoLag(group));
    expect(handled.map((name) => Number(name.split('@')[1]))).toEqual(left.map(({ offset }) => offset));
    const newest = new Map(
      handled.map((name) => name.split(/[/@]/)).map(([document, revision]) => [document, revision]),
    );
    expect(Object.fromEntries(newest)).toEqual(
      Object.fromEntries(documents.map((document) => [document, String(revisions.at(-1))])),
    );
    expect(platform.fatal).toEqual([]);
  }, 150_000);

  it('goes on behind an offset that was committed and is in a gap now', async () => {
    const early: string[] = [];
    const group = platform.uniqueGroup();
    const first = await start(group, early);
    await platform.publish(documents[0] ?? '', 'text', { revision: 1 });
    await eventually(() => platform.hasNoLag(group));
    await first.stop(4_000);
    await publishAll();
    const left = await whenCompacted();
    const [committed = 0] = (await platform.committed(group)).values();
    expect(left.map(({ offset }) => offset)).not.toContain(committed);

    const later: string[] = [];
    await start(group, later);
    await eventually(() => platform.hasNoLag(group));
    const expected = left.filter(({ offset }) => offset >= committed).map(({ offset }) => offset);
    expect(later.map((name) => Number(name.split('@')[1]))).toEqual(expected);
    expect(early).toHaveLength(1);
    expect(platform.fatal).toEqual([]);
  }, 150_000);
});
