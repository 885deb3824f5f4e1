import { createRequire } from 'node:module';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { patchKafkajs } from '../src/kafkajs/patches.js';

const require = createRequire(import.meta.url);

interface RequestQueue {
  push(request: object): void;
  waitForPendingRequests(): Promise<void>;
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
