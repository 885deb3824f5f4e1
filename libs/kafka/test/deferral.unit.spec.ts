import { describe, expect, it } from '@jest/globals';
import { DependencyUnavailable, PoisonMessage, RetryLater } from '@anabranch/failures';
import type { Deferral } from '../src/incoming-record.js';
import { SimulatedConsumer } from './harness/simulated-consumer.js';

const partition = { topic: 'topic', partition: 0 };

/** The port in memory; it can be down. */
class MemoryDeferrals {
  readonly kept: { key: string; deferral: Deferral }[] = [];
  readonly failures: Error[] = [];

  readonly defer = (record: { key: Buffer | null }, deferral: Deferral): Promise<void> => {
    const failure = this.failures.shift();
    if (failure !== undefined) return Promise.reject(failure);
    this.kept.push({ key: String(record.key), deferral });
    return Promise.resolve();
  };
}

describe('a handler that asks for a long wait', () => {
  it('has its record deferred at once: it is done, its offset is passed, and the next of its key starts', async () => {
    const { defer, kept } = new MemoryDeferrals();
    const consumer = await SimulatedConsumer.start([partition], {}, { defer });
    await consumer.receive(partition, 'a', 'a');
    await consumer.clock.advance(1_000);
    await consumer.handlerOf('a').fail(new RetryLater('The provider asks for two minutes.', { afterMs: 120_000 }));
    expect(kept).toEqual([
      {
        key: 'a',
        deferral: expect.objectContaining({
          dueAt: 121_000,
          waitMs: 120_000,
          attempts: 1,
          message: expect.any(String),
        }),
      },
    ]);
    expect(consumer.runningKeys()).toEqual(['a']);
    await consumer.clock.advance(1_000);
    expect(consumer.broker.commits.at(-1)).toMatchObject({ offset: 1 });
    expect(consumer.deadLetters).toEqual([]);
  });

  it('waits in its key’s queue when the wait is one that is done in place', async () => {
    const { defer, kept } = new MemoryDeferrals();
    const consumer = await SimulatedConsumer.start([partition], {}, { defer });
    await consumer.receive(partition, 'a');
    await consumer.handlerOf('a').fail(new RetryLater('Busy.', { afterMs: 30_000 }));
    await consumer.clock.advance(40_000);
    expect(kept).toEqual([]);
    expect(consumer.handlerOf('a').context.attempt).toBe(2);
  });

  it('waits in place when nobody keeps deferred records', async () => {
    const consumer = await SimulatedConsumer.start([partition]);
    await consumer.receive(partition, 'a', 'b');
    await consumer.handlerOf('a').fail(new RetryLater('Busy.', { afterMs: 60_000 }));
    await consumer.handlerOf('b').finish();
    await consumer.clock.advance(50_000);
    expect(consumer.runningKeys()).toEqual([]);
    await consumer.clock.advance(20_000);
    expect(consumer.handlerOf('a').context.attempt).toBe(2);
  });

  it('becomes a dead letter when whoever keeps records keeps it no more', async () => {
    const deferrals = new MemoryDeferrals();
    deferrals.failures.push(new PoisonMessage('RETRIES_EXHAUSTED', 'It was kept for three days.'));
    const consumer = await SimulatedConsumer.start([partition], {}, { defer: deferrals.defer });
    await consumer.receive(partition, 'a', 'a');
    await consumer.handlerOf('a').fail(new RetryLater('Busy.', { afterMs: 120_000 }));
    expect(deferrals.kept).toEqual([]);
    expect(consumer.deadLetters).toHaveLength(1);
    expect(consumer.runningKeys()).toEqual(['a']);
    await consumer.clock.advance(1_000);
    expect(consumer.broker.commits.at(-1)).toMatchObject({ offset: 1 });
  });

  it('is not called again while its deferral cannot be kept; only its key waits', async () => {
    const deferrals = new MemoryDeferrals();
    deferrals.failures.push(new Error('no room'), new DependencyUnavailable('postgres', 'Postgres is down.'));
    const consumer = await SimulatedConsumer.start([partition], {}, { defer: deferrals.defer });
    await consumer.receive(partition, 'a', 'a', 'b');
    await consumer.handlerOf('a').fail(new RetryLater('Busy.', { afterMs: 120_000 }));
    expect(deferrals.kept).toEqual([]);
    expect(consumer.runningKeys()).toEqual(['b']);
    await consumer.clock.advance(60_000);
    expect(deferrals.kept.map(({ key }) => key)).toEqual(['a']);
    expect(consumer.runningKeys().sort()).toEqual(['a', 'b']);
    expect(consumer.handlerOf('a').context.attempt).toBe(1);
  });
});
