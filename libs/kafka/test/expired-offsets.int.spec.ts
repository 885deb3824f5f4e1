import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import kafkajs from 'kafkajs';
import { topicNameOf } from '../src/kafka-config.js';
import { Platform } from './harness/platform.js';

describe('a committed offset outside of the log', () => {
  let platform: Platform;
  let group: string;

  beforeEach(async () => {
    platform = await Platform.start({ partitions: 1 });
    group = platform.uniqueGroup();
  });
  afterEach(() => platform.close());

  const start = async (finished: string[], settings = {}) => {
    const handler = ({ event }: { event: { documentId: string } }) =>
      Promise.resolve(void finished.push(event.documentId));
    const consumer = platform.consumer({ group, topics: { 'document.ingested': { handler } }, settings });
    await consumer.start();
    return consumer;
  };
  const publish = async (...documents: string[]) => {
    for (const documentId of documents) await platform.publish(documentId, 'text');
  };
  const isCommitted = async (offset: number) => (await platform.committed(group)).get(0) === offset;
  /** What retention does, at once. */
  const removeBelow = (offset: number) =>
    withAdmin((admin) =>
      admin.deleteTopicRecords({ topic: topicName(), partitions: [{ partition: 0, offset: String(offset) }] }),
    );
  const topicName = () => topicNameOf(platform.config, 'document.ingested');
  const withAdmin = async (work: (admin: kafkajs.Admin) => Promise<unknown>) => {
    const admin = new kafkajs.Kafka({
      brokers: [...platform.config.brokers],
      logLevel: kafkajs.logLevel.NOTHING,
    }).admin();
    await admin.connect();
    try {
      // Without this the client does not know which broker leads the partition.
      await admin.fetchTopicMetadata({ topics: [topicName()] });
      await work(admin);
    } finally {
      await admin.disconnect();
    }
  };

  it('stops the service before it handles or commits anything, and says what is lost', async () => {
    await publish('a', 'b', 'c', 'd', 'e');
    await withAdmin((admin) =>
      admin.setOffsets({ groupId: group, topic: topicName(), partitions: [{ partition: 0, offset: '1' }] }),
    );
    await removeBelow(3);
    const finished: string[] = [];
    await start(finished);
    await eventually(() => platform.fatal.length > 0);
    expect(platform.fatal[0]?.message).toMatch(
      /offset 1 of .*document.ingested\/0.*begins at 3: 2 offsets were removed/,
    );
    expect(platform.fatal).toHaveLength(1);
    expect(finished).toEqual([]);
    expect(await isCommitted(1)).toBe(true);
  });

  it('is passed over when that was asked for, with an error that says what is lost', async () => {
    await publish('a', 'b', 'c', 'd', 'e');
    await withAdmin((admin) =>
      admin.setOffsets({ groupId: group, topic: topicName(), partitions: [{ partition: 0, offset: '1' }] }),
    );
    await removeBelow(3);
    const finished: string[] = [];
    await start(finished, { whenExpired: 'continue' });
    await eventually(() => isCommitted(5));
    expect(finished).toEqual(['d', 'e']);
    expect(platform.log.at('error')).toContain(
      'records were removed before they were handled; going on with what is left',
    );
    expect(platform.fatal).toEqual([]);
  });

  it('stops the service when the log ends before it, whatever was asked for', async () => {
    await publish('a');
    await withAdmin((admin) =>
      admin.setOffsets({ groupId: group, topic: topicName(), partitions: [{ partition: 0, offset: '7' }] }),
    );
    const finished: string[] = [];
    await start(finished, { whenExpired: 'continue' });
    await eventually(() => platform.fatal.length > 0);
    expect(platform.fatal[0]?.message).toMatch(/offset 7 of .*the log ends at 1/);
    expect(finished).toEqual([]);
    expect(await isCommitted(7)).toBe(true);
  });
});
