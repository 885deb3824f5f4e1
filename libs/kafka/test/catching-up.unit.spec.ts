import { describe, expect, it } from '@jest/globals';
import { Dispatcher } from '../src/consumer/dispatcher.js';
import type { Ending } from '../src/consumer/next-step.js';
import { PartitionEpoch } from '../src/consumer/partition-epoch.js';
import { Work } from '../src/consumer/work.js';
import { settled } from '../src/testing/index.js';

/** A dispatcher whose records take 20 ms to start, and never end. */
class BusyDispatcher {
  readonly started: string[] = [];
  readonly dispatcher: Dispatcher;
  private time = 100;
  private readonly turns: (() => void)[] = [];
  private readonly epoch = new PartitionEpoch({ topic: 'topic', partition: 0 }, { maxRecords: 9, maxBytes: 9 });

  constructor(maxInFlight: number) {
    this.dispatcher = new Dispatcher({
      run: ({ key }) => {
        this.started.push(key);
        this.time += 20;
        return new Promise<Ending>(() => {});
      },
      onFinished: () => {},
      onGateChange: () => {},
      onFatal: () => {},
      maxInFlight,
      turnMs: 10,
      probes: { firstWaitMs: 1, maxWaitMs: 1 },
      clock: { now: () => this.time, after: () => () => {}, soon: (callback) => void this.turns.push(callback) },
      random: () => 0,
    });
  }

  receive(...keys: string[]): void {
    for (const [offset, key] of keys.entries()) {
      const record = { topic: 'topic', partition: 0, offset, timestamp: 0, key: null, value: null, headers: [] };
      this.dispatcher.add(new Work(this.epoch, record, { event: key, key }, 0));
    }
    this.dispatcher.dispatch();
  }

  /** The event loop comes round. */
  nextTurn(): void {
    this.turns.shift()?.();
  }
}

describe('a client that delivers faster than records can be started', () => {
  it('is held back until all that may start has started', async () => {
    const busy = new BusyDispatcher(10);
    busy.receive('a', 'b', 'c');
    let isCaughtUp = false;
    void busy.dispatcher.whenCaughtUp?.then(() => (isCaughtUp = true));
    for (const started of [['a'], ['a', 'b'], ['a', 'b', 'c']]) {
      await settled();
      expect([busy.started, isCaughtUp]).toEqual([started, false]);
      busy.nextTurn();
    }
    await settled();
    expect([isCaughtUp, busy.dispatcher.whenCaughtUp]).toEqual([true, undefined]);
  });

  it('is not held back by records that wait for a slot', async () => {
    const busy = new BusyDispatcher(1);
    busy.receive('a', 'b', 'c');
    const caughtUp = busy.dispatcher.whenCaughtUp;
    busy.nextTurn();
    await caughtUp;
    expect(busy.started).toEqual(['a']);
  });
});
