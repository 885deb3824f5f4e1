import { describe, expect, it } from '@jest/globals';
import { DependencyUnavailable, RetryLater } from '@anabranch/failures';
import { consumerDefaults } from '../src/consumer/consumer-settings.js';
import { settled } from '../src/testing/index.js';
import { SimulatedConsumer } from './harness/simulated-consumer.js';

const partition = { topic: 'topic', partition: 0 };
const { maxHandlerMs, maxFetchSilenceMs, maxCommitAgeMs, maxAbsenceMs } = consumerDefaults.progress;
const hourMs = 3_600_000;
/** A test waits for it in virtual time. */
const pastMs = (limitMs: number) => limitMs + 1_000;
const well = { ready: true, reasons: [] };

describe('a consumer gets on with its work, as far as a restart could tell,', () => {
  it('while it is idle', async () => {
    const { runtime, clock } = await SimulatedConsumer.start([partition]);
    await clock.advance(hourMs);
    expect(runtime.progress()).toEqual(well);
    expect(runtime.health()).toEqual(well);
  });

  it('while a shared dependency is down: it is not ready, and no restart would help', async () => {
    const consumer = await SimulatedConsumer.start([partition]);
    await consumer.receive(partition, 'a', 'b');
    for (const key of ['a', 'b']) await consumer.handlerOf(key).fail(new DependencyUnavailable('postgres', 'down'));
    for (let probe = 0; probe < 500; probe++) {
      await consumer.clock.advance(10_000);
      for (const handler of consumer.running.slice()) await handler.fail(new DependencyUnavailable('postgres', 'down'));
    }
    expect(consumer.runtime.health().reasons).toEqual([expect.stringContaining('postgres is down since')]);
    expect(consumer.runtime.progress()).toEqual(well);
  });

  it('while a handler is slow, within its limit', async () => {
    const consumer = await SimulatedConsumer.start([partition]);
    await consumer.receive(partition, 'slow');
    await consumer.clock.advance(maxHandlerMs);
    expect(consumer.runtime.progress()).toEqual(well);
  });

  it('while a record waits for its retry, or for somebody else', async () => {
    const consumer = await SimulatedConsumer.start([partition]);
    await consumer.receive(partition, 'retried', 'parked');
    await consumer.handlerOf('retried').fail(new RetryLater('busy', { afterMs: pastMs(maxHandlerMs) }));
    const answer = Promise.withResolvers<void>();
    const parked = consumer.handlerOf('parked').context.park(answer.promise);
    await consumer.clock.advance(pastMs(maxHandlerMs));
    expect(consumer.runtime.progress()).toEqual(well);
    answer.resolve();
    await parked;
    expect(consumer.runtime.progress()).toEqual(well);
  });

  it('while it stops, which has a deadline of its own', async () => {
    const consumer = await SimulatedConsumer.start([partition]);
    await consumer.receive(partition, 'hangs');
    const stopped = consumer.runtime.stop(pastMs(2 * maxHandlerMs));
    await consumer.clock.advance(pastMs(maxHandlerMs));
    expect(consumer.runtime.progress()).toEqual(well);
    await consumer.clock.advance(2 * maxHandlerMs);
    await stopped;
  });
});

describe('a consumer asks for a restart, and names the setting,', () => {
  it('when a handler hangs', async () => {
    const consumer = await SimulatedConsumer.start([partition]);
    await consumer.receive(partition, 'hangs');
    await consumer.clock.advance(pastMs(maxHandlerMs));
    const reason = `a handler runs for 901 s, longer than progress.maxHandlerMs (${maxHandlerMs}) allows`;
    expect(consumer.runtime.progress()).toEqual({ ready: false, reasons: [reason] });
    expect(consumer.runtime.health()).toEqual({ ready: false, reasons: [reason] });
    expect(await consumer.metrics.metrics()).toContain('anabranch_oldest_in_flight_seconds 901\n');
  });

  it('when its client fetches nothing more', async () => {
    const consumer = await SimulatedConsumer.start([partition]);
    consumer.broker.fetchedAt = consumer.clock.now();
    await consumer.clock.advance(maxFetchSilenceMs);
    expect(consumer.runtime.progress()).toEqual(well);
    await consumer.clock.advance(1_000);
    expect(consumer.runtime.progress().reasons).toEqual([expect.stringContaining('progress.maxFetchSilenceMs')]);
    expect(await consumer.metrics.metrics()).toContain('anabranch_fetch_age_seconds 181\n');
  });

  it('when what is finished is not committed', async () => {
    const consumer = await SimulatedConsumer.start([partition]);
    consumer.broker.refuseCommits(Number.POSITIVE_INFINITY);
    await consumer.receive(partition, 'a');
    await consumer.handlerOf('a').finish();
    await consumer.clock.advance(pastMs(maxCommitAgeMs));
    expect(consumer.runtime.progress().reasons).toEqual([expect.stringContaining('progress.maxCommitAgeMs')]);
  });

  it('when it does not come back into its group', async () => {
    const consumer = await SimulatedConsumer.start([partition]);
    consumer.broker.lose();
    await consumer.clock.advance(maxAbsenceMs);
    expect(consumer.runtime.progress()).toEqual(well);
    expect(consumer.runtime.health().ready).toBe(false);
    await consumer.clock.advance(1_000);
    expect(consumer.runtime.progress().reasons).toEqual([expect.stringContaining('progress.maxAbsenceMs')]);
    consumer.broker.rebalance([partition]);
    await settled();
    expect(consumer.runtime.progress()).toEqual(well);
  });
});
