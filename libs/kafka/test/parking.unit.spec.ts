import { describe, expect, it } from '@jest/globals';
import { settled } from '../src/testing/index.js';
import { SimulatedConsumer } from './harness/simulated-consumer.js';

const partition = { topic: 'topic', partition: 0 };

describe('a handler that parks', () => {
  const start = async (...keys: string[]) => {
    const consumer = await SimulatedConsumer.start([partition], { maxInFlight: 1 });
    await consumer.receive(partition, ...keys);
    return consumer;
  };

  it('lends its slot to another key, and keeps its own key', async () => {
    const consumer = await start('a', 'a', 'b', 'c');
    expect(consumer.runningKeys()).toEqual(['a']);
    const work = Promise.withResolvers<string>();
    void consumer.handlerOf('a').context.park(work.promise);
    await settled();
    expect(consumer.runningKeys()).toEqual(['a', 'b']);
  });

  it('goes on with what it waited for once a slot is free, before anything else starts', async () => {
    const consumer = await start('a', 'b', 'c');
    const work = Promise.withResolvers<string>();
    let found: string | undefined;
    void consumer
      .handlerOf('a')
      .context.park(work.promise)
      .then((result) => (found = result));
    await settled();
    work.resolve('answer');
    await settled();
    expect(found).toBeUndefined();
    await consumer.handlerOf('b').finish();
    expect(found).toBe('answer');
    expect(consumer.runningKeys()).toEqual(['a']);
    await consumer.handlerOf('a').finish();
    expect(consumer.runningKeys()).toEqual(['c']);
  });

  it('gets the failure of what it waited for, and no attempt is counted for the wait', async () => {
    const consumer = await start('a');
    const { context } = consumer.handlerOf('a');
    const parked = context.park(Promise.reject(new Error('theirs')));
    await expect(parked).rejects.toThrow('theirs');
    expect(context.attempt).toBe(1);
    await consumer.handlerOf('a').finish();
    expect(consumer.runningKeys()).toEqual([]);
  });

  it('is waited for when the process stops', async () => {
    const consumer = await start('a', 'b');
    const work = Promise.withResolvers<void>();
    const handler = consumer.handlerOf('a');
    const parked = handler.context.park(work.promise).then(() => handler.finish());
    await settled();
    await consumer.handlerOf('b').finish();
    const stopping = consumer.runtime.stop(10_000);
    await consumer.clock.advance(1_000);
    expect(consumer.broker.isStopped).toBe(false);
    work.resolve();
    await parked;
    await stopping;
    expect(consumer.broker.commits.at(-1)).toMatchObject({ offset: 2 });
  });

  it('may end without having waited for what it parked on', async () => {
    const consumer = await start('a', 'a', 'b');
    const work = Promise.withResolvers<void>();
    void consumer.handlerOf('a').context.park(work.promise);
    await settled();
    await consumer.handlerOf('b').finish();
    await consumer.handlerOf('a').finish();
    expect(consumer.runningKeys()).toEqual(['a']);
    work.resolve();
    await settled();
    await consumer.handlerOf('a').finish();
    await consumer.clock.advance(1_000);
    expect(consumer.broker.commits.at(-1)).toMatchObject({ offset: 3 });
  });
});
