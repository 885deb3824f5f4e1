import { createRequire } from 'node:module';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { patchKafkajs } from '../src/kafkajs/patches.js';

const require = createRequire(import.meta.url);

interface RequestQueue {
  push(request: object): void;
  waitForPendingRequests(): Promise<void>;
}
interface Member {
  heartbeat(options: { interval: number }): Promise<void>;
}
interface Runner {
  running: boolean;
  commitOffsets(offsets: object): Promise<void>;
}

const log = { namespace: () => log, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('a connection that is closed', () => {
  beforeAll(patchKafkajs);
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('does not wait for ever for a request that was never sent', async () => {
    const Queue = require('kafkajs/src/network/requestQueue') as new (options: object) => RequestQueue;
    const queue = new Queue({
      maxInFlightRequests: 1,
      requestTimeout: 10_000,
      enforceRequestTimeout: true,
      clientId: 'client',
      broker: 'broker:9092',
      logger: log,
      isConnected: () => false,
    });
    const failures: string[] = [];
    queue.push({
      entry: { correlationId: 1, reject: ({ name }: Error) => failures.push(name), resolve: () => {} },
      expectResponse: true,
      sendRequest: () => {},
    });
    const closed = queue.waitForPendingRequests();
    await jest.advanceTimersByTimeAsync(15_000);
    await closed;
    expect(failures).toEqual(['KafkaJSConnectionClosedError']);
  });
});

describe('a commit', () => {
  beforeAll(patchKafkajs);

  it('fails when the client has stopped, rather than say that it was made', async () => {
    const RunnerClass = require('kafkajs/src/consumer/runner') as new (options: object) => Runner;
    const sent: object[] = [];
    const consumerGroup = {
      getNodeIds: () => [],
      commitOffsets: (offsets: object) => Promise.resolve(void sent.push(offsets)),
    };
    const runner = new RunnerClass({ logger: log, consumerGroup, retry: { retries: 0 }, onCrash: () => {} });
    runner.running = true;
    await runner.commitOffsets({ topics: [] });
    expect(sent).toHaveLength(1);
    runner.running = false;
    await expect(runner.commitOffsets({ topics: [] })).rejects.toThrow('The client has stopped');
    expect(sent).toHaveLength(1);
  });
});

describe('a fetch', () => {
  beforeAll(patchKafkajs);
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('begins as soon as a partition is resumed, when all were paused', async () => {
    const { group, requests } = createGroup();
    group.pause([{ topic: 'topic', partitions: [0, 1] }]);
    const fetched = group.fetch('1');
    await jest.advanceTimersByTimeAsync(longWaitMs - 1);
    expect(requests).toEqual([]);
    group.resume([{ topic: 'topic', partitions: [1] }]);
    await fetched;
    expect(requests).toMatchObject([{ topics: [{ partitions: [{ partition: 1 }] }] }]);
  });

  it('does not wait for long while a partition may be resumed, and does when none is paused', async () => {
    const { group, requests } = createGroup();
    group.pause([{ topic: 'topic', partitions: [0] }]);
    await group.fetch('1');
    group.resume([{ topic: 'topic', partitions: [0] }]);
    await group.fetch('1');
    expect(requests.map(({ maxWaitTime }) => maxWaitTime)).toEqual([expect.any(Number), longWaitMs]);
    expect(requests[0]?.maxWaitTime).toBeLessThan(longWaitMs / 5);
  });
});

const longWaitMs = 250;

interface ConsumerGroup {
  offsetManager: object;
  readonly subscriptionState: { assign(topics: readonly TopicPartitions[]): void };
  fetch(nodeId: string): Promise<unknown>;
  pause(topics: readonly TopicPartitions[]): void;
  resume(topics: readonly TopicPartitions[]): void;
}
interface TopicPartitions {
  readonly topic: string;
  readonly partitions: number[];
}
interface FetchRequest {
  readonly maxWaitTime: number;
  readonly topics: readonly object[];
}

/** A member that has two partitions, with a broker that has no records. */
function createGroup(): { group: ConsumerGroup; requests: FetchRequest[] } {
  const requests: FetchRequest[] = [];
  const fetch = (request: FetchRequest) => Promise.resolve({ responses: [], sent: requests.push(request) });
  const cluster = {
    refreshMetadataIfNecessary: () => Promise.resolve(),
    findTopicPartitionMetadata: () => [0, 1].map((partitionId) => ({ partitionId, leader: '1' })),
    findBroker: () => Promise.resolve({ fetch }),
  };
  const GroupClass = require('kafkajs/src/consumer/consumerGroup') as new (options: object) => ConsumerGroup;
  const group = new GroupClass({
    cluster,
    groupId: 'group',
    topics: ['topic'],
    logger: log,
    retry: {},
    maxWaitTimeInMs: longWaitMs,
  });
  group.subscriptionState.assign([{ topic: 'topic', partitions: [0, 1] }]);
  group.offsetManager = {
    committedOffsets: () => ({ topic: { 0: '0', 1: '0' } }),
    nextOffset: () => '0',
    resolveOffsets: () => Promise.resolve(),
  };
  return { group, requests };
}

describe('a heartbeat', () => {
  beforeAll(patchKafkajs);

  it('is sent although the clock was set back since the last one', async () => {
    const Group = require('kafkajs/src/consumer/consumerGroup') as new (options: object) => Member;
    const sent: object[] = [];
    const group = new Group({
      groupId: 'group',
      cluster: {},
      topics: [],
      topicConfigurations: {},
      assigners: [],
      retry: {},
      logger: log,
      instrumentationEmitter: { emit: () => {} },
    });
    const coordinator = { heartbeat: (request: object) => Promise.resolve(void sent.push(request)) };
    Object.assign(group, { memberId: 'member', coordinator, lastRequest: Date.now() + 3_600_000 });
    await group.heartbeat({ interval: 1_000 });
    await group.heartbeat({ interval: 60_000 });
    expect(sent).toHaveLength(1);
  });
});
