import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { knownPartitionOf } from '../src/kafkajs/send-port.js';

const require = createRequire(import.meta.url);
type SendMessages = (request: object) => Promise<unknown[]>;
const createSendMessages = require('kafkajs/src/producer/sendMessages') as (options: object) => SendMessages;
const createRetry = require('kafkajs/src/retry') as (options: object) => unknown;

const log = { debug: () => {}, error: () => {} };
const topic = 'topic';

/** kafkajs' own sending, over a cluster whose metadata are as old as its last refresh. */
class Sending {
  readonly written: number[] = [];
  private known = 2;
  private readonly broker = {
    nodeId: 1,
    produce: ({ topicData }: { topicData: { partitions: { partition: number }[] }[] }) => {
      const partitions = topicData.flatMap((each) => each.partitions.map(({ partition }) => partition));
      this.written.push(...partitions);
      const answers = partitions.map((partition) => ({ partition, errorCode: 0 }));
      return Promise.resolve({ topics: [{ topicName: topic, partitions: answers }] });
    },
  };

  constructor(private readonly partitioner: (args: never) => number) {}

  send(partition: number, has: number): Promise<unknown[]> {
    const metadata = () => Array.from({ length: this.known }, (_, partitionId) => ({ partitionId, leader: 1 }));
    const cluster = {
      addMultipleTargetTopics: () => Promise.resolve(),
      refreshMetadataIfNecessary: () => Promise.resolve(),
      refreshMetadata: () => Promise.resolve(void (this.known = has)),
      isConnected: () => true,
      findTopicPartitionMetadata: metadata,
      findLeaderForPartitions: (_: string, partitions: string[]) => {
        const found = partitions.map(Number).filter((each) => each < this.known);
        return found.length > 0 ? { 1: found } : {};
      },
      findBroker: () => Promise.resolve(this.broker),
    };
    const eosManager = {
      acquireBrokerLock: () => Promise.resolve(),
      releaseBrokerLock: () => Promise.resolve(),
      isTransactional: () => false,
      getSequence: () => 0,
      updateSequence: () => {},
      getProducerId: () => -1,
      getProducerEpoch: () => 0,
    };
    const retrier = createRetry({ initialRetryTime: 1, maxRetryTime: 1, retries: 2 });
    const { partitioner } = this;
    const sendMessages = createSendMessages({ logger: log, cluster, partitioner, eosManager, retrier });
    return sendMessages({ acks: -1, topicMessages: [{ topic, messages: [{ value: 'value', partition }] }] });
  }
}

describe('what is sent to a partition that the client does not know yet', () => {
  it('would be dropped by kafkajs with success', async () => {
    const sending = new Sending(({ message }: { message: { partition: number } }) => message.partition);
    expect(await sending.send(4, 5)).toEqual([]);
    expect(sending.written).toEqual([]);
  });

  it('is sent when the client has looked again', async () => {
    const sending = new Sending(knownPartitionOf);
    expect(await sending.send(4, 5)).toHaveLength(1);
    expect(sending.written).toEqual([4]);
  });

  it('is refused when there is no such partition', async () => {
    const sending = new Sending(knownPartitionOf);
    await expect(sending.send(7, 5)).rejects.toThrow('does not know the partition topic/7');
    expect(sending.written).toEqual([]);
  });
});
