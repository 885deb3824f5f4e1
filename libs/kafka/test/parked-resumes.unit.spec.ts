import { expect, it } from '@jest/globals';
import type { HandlerContext } from '../src/incoming-record.js';
import { settled } from '../src/testing/index.js';
import { SimulatedConsumer } from './harness/simulated-consumer.js';

const partition = { topic: 'topic', partition: 0 };

it('a record whose parking is over gets the slot that another one lends', async () => {
  const first = Promise.withResolvers<void>();
  const mayPark = Promise.withResolvers<void>();
  const resumed: string[] = [];
  const handlers: Record<string, (context: HandlerContext) => Promise<unknown>> = {
    first: ({ park }) => park(first.promise),
    second: async ({ park }) => {
      await mayPark.promise;
      await park(Promise.withResolvers<void>().promise);
    },
  };
  const handlerOf = () => async (record: { key: Buffer | null }, context: HandlerContext) => {
    await handlers[String(record.key)]?.(context);
    resumed.push(String(record.key));
  };
  const consumer = await SimulatedConsumer.start([partition], { maxInFlight: 1 }, { handlerOf });
  await consumer.receive(partition, 'first', 'second');

  first.resolve();
  await settled();
  expect(resumed).toEqual([]);
  mayPark.resolve();
  await settled();
  expect(resumed).toEqual(['first']);
});
