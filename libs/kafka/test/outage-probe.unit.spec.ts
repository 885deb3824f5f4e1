import { DependencyUnavailable } from '@anabranch/failures';
import { describe, expect, it } from '@jest/globals';
import { settled } from '../src/testing/index.js';
import { SimulatedConsumer } from './harness/simulated-consumer.js';

const partition = { topic: 'topic', partition: 0 };
const down = new DependencyUnavailable('postgres', 'connection refused');

describe('the probe of an outage', () => {
  it('waits for a slot when a parked record has come back into its own, so that no more run than may', async () => {
    const consumer = await SimulatedConsumer.start([partition], { maxInFlight: 1 });
    await consumer.receive(partition, 'parked', 'probe');
    const wait = Promise.withResolvers<void>();
    void consumer.handlerOf('parked').context.park(wait.promise);
    await settled();
    await consumer.handlerOf('probe').fail(down);
    wait.resolve();
    await consumer.clock.advance(60_000);
    expect(consumer.runningKeys()).toEqual(['parked']);

    await consumer.handlerOf('parked').finish();
    expect(consumer.runningKeys()).toEqual(['probe']);
    expect(consumer.runtime.health().ready).toBe(false);
    await consumer.handlerOf('probe').finish();
    expect(consumer.runtime.health().ready).toBe(true);
  });
});
