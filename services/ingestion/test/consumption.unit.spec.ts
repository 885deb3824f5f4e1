import { describe, expect, it } from '@jest/globals';
import { partitionOf } from '@anabranch/contracts';
import type { CommittedOffset, EndOffset } from '@anabranch/kafka';
import { createConsumption } from '../src/why/consumption.js';

const partitions = 8;
const documentId = 'letter-7';
const own = partitionOf(documentId, partitions);

/** A broker whose topics all end at 100, where groups have committed what the test says, in the document's partition. */
const brokerWith = (committed: Record<string, number>) => ({
  groupMembers: () => Promise.resolve(2),
  endOffsets: (topic: string): Promise<EndOffset[]> =>
    Promise.resolve(Array.from({ length: partitions }, (_, partition) => ({ topic, partition, low: 10, high: 100 }))),
  committedOffsets: (group: string, [topic = '']: readonly string[]): Promise<CommittedOffset[]> => {
    const offset = committed[`${group} ${topic}`];
    return Promise.resolve(offset === undefined ? [] : [{ topic, partition: own, offset, metadata: '' }]);
  },
});

describe('what was read of a document’s partition', () => {
  it('is told of the topic that asked for the run, and of the topic of its outcomes', async () => {
    const broker = brokerWith({
      'anabranch.summary document.ingested': 97,
      'anabranch.collection analysis.summary.finished': 99,
    });
    const read = createConsumption(broker);
    expect(await read({ analysis: 'summary', documentId, isCommanded: false })).toEqual({
      topic: 'document.ingested',
      members: 2,
      unfinished: 3,
      unread: 1,
    });
  });

  it('is everything that is still there when nothing was ever committed', async () => {
    const read = createConsumption(brokerWith({}));
    const seen = await read({ analysis: 'summary', documentId, isCommanded: true });
    expect(seen).toMatchObject({ topic: 'analysis.summary.requested', unfinished: 90, unread: 90 });
  });

  it('is not known when the broker fails, or does not answer in time', async () => {
    const failing = { ...brokerWith({}), endOffsets: () => Promise.reject(new Error('Kafka is down.')) };
    const silent = { ...brokerWith({}), groupMembers: () => new Promise<number>(() => undefined) };
    const run = { analysis: 'summary', documentId, isCommanded: false };
    expect(await createConsumption(failing)(run)).toBeNull();
    expect(await createConsumption(silent, 1)(run)).toBeNull();
  });
});
