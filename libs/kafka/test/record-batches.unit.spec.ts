import { describe, expect, it } from '@jest/globals';
import { DependencyUnavailable, PoisonMessage } from '@anabranch/failures';
import { getEventListeners } from 'node:events';
import { inBatches } from '../src/consumer/record-batches.js';
import type { HandlerContext, IncomingRecord } from '../src/incoming-record.js';
import { settled } from '../src/testing/index.js';
import { SimulatedConsumer } from './harness/simulated-consumer.js';

const first = { topic: 'topic', partition: 0 };
const second = { topic: 'topic', partition: 1 };

describe('a handler of batches', () => {
  /** What it was called with, and what it does then. */
  const start = async (handle: (keys: string[], signal: AbortSignal) => Promise<void>, maxRecords = 100) => {
    const batches: string[][] = [];
    const handler = inBatches<unknown>(
      (records, { signal }) => {
        const keys = records.map(({ key }) => String(key));
        batches.push(keys);
        return handle(keys, signal);
      },
      { maxRecords },
    );
    const consumer = await SimulatedConsumer.start([first, second], {}, { handlerOf: () => handler });
    return { batches, consumer };
  };
  const succeed = () => Promise.resolve();

  it('gets what has arrived, one record per key; the next of a key comes after it', async () => {
    const { batches, consumer } = await start(succeed);
    await consumer.receive(first, 'a', 'b', 'a', 'c', 'a');
    expect(batches).toEqual([['a', 'b', 'c'], ['a'], ['a']]);
    await consumer.clock.advance(1_000);
    expect(consumer.broker.commits.at(-1)).toMatchObject({ offset: 5 });
  });

  it('is called once at a time, with no more than it asked for; what comes meanwhile is the next batch', async () => {
    const release = Promise.withResolvers<void>();
    const { batches, consumer } = await start(() => release.promise, 2);
    await consumer.receive(first, 'a', 'b', 'c');
    await consumer.receive(second, 'd');
    expect(batches).toEqual([['a', 'b']]);
    release.resolve();
    await settled();
    expect(batches).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('has only the culprit dead-lettered when a batch fails', async () => {
    const handle = (keys: string[]) =>
      keys.includes('bad') ? Promise.reject(new PoisonMessage('INVALID_EVENT', 'bad')) : Promise.resolve();
    const { consumer } = await start(handle);
    await consumer.receive(first, 'a', 'b', 'bad', 'c', 'd');
    await consumer.clock.advance(1_000);
    expect(consumer.deadLetters.map(({ key }) => String(key))).toEqual(['bad']);
    expect(consumer.broker.commits.at(-1)).toMatchObject({ offset: 5 });
  });

  it('blames no record for a shared dependency: nothing is split, and all are tried again', async () => {
    let isDown = true;
    const handle = () => (isDown ? Promise.reject(new DependencyUnavailable('postgres', 'down')) : Promise.resolve());
    const { batches, consumer } = await start(handle);
    await consumer.receive(first, 'a', 'b');
    expect(batches).toEqual([['a', 'b']]);
    isDown = false;
    await consumer.clock.advance(30_000);
    expect(consumer.deadLetters).toEqual([]);
    expect(consumer.broker.commits.at(-1)).toMatchObject({ offset: 2 });
  });

  it('finishes the records of a kept partition when another one of the batch was lost', async () => {
    const handle = (keys: string[], signal: AbortSignal) =>
      signal.aborted || keys.includes('slow')
        ? new Promise<void>((_, reject) => {
            if (signal.aborted) reject(new Error('aborted'));
            signal.addEventListener('abort', () => reject(new Error('aborted')));
          })
        : Promise.resolve();
    const { consumer } = await start(handle);
    consumer.broker.append(first, { key: Buffer.from('kept'), value: Buffer.from('kept') });
    consumer.broker.append(second, { key: Buffer.from('slow'), value: Buffer.from('slow') });
    consumer.broker.deliver();
    await settled();
    consumer.broker.rebalance([first]);
    await consumer.clock.advance(1_000);
    expect(consumer.broker.committed.get('topic/0')).toBe(1);
    expect(consumer.broker.committed.get('topic/1')).toBeUndefined();
    expect(consumer.deadLetters).toEqual([]);
  });

  it('listens to partitions no longer than its batch, whoever still listens to that', async () => {
    const partition = new AbortController();
    const heard: string[] = [];
    const handler = inBatches<unknown>(
      async ([record], { signal }) => {
        const key = String(record?.key);
        signal.addEventListener('abort', () => heard.push(key));
        if (key === 'aborted') partition.abort();
        if (key === 'fails') throw new PoisonMessage('INVALID_EVENT', 'bad');
      },
      { maxRecords: 1 },
    );
    const handle = (key: string) =>
      handler({ ...first, key: Buffer.from(key) } as IncomingRecord, { signal: partition.signal } as HandlerContext);
    await handle('succeeds');
    await expect(handle('fails')).rejects.toThrow('bad');
    expect(getEventListeners(partition.signal, 'abort')).toEqual([]);
    await handle('aborted');
    expect(heard).toEqual(['aborted']);
  });

  it('is not given a record whose partition was lost while it waited for its batch', async () => {
    const release = Promise.withResolvers<void>();
    const { batches, consumer } = await start(() => release.promise);
    await consumer.receive(first, 'runs');
    await consumer.receive(second, 'is lost');
    await consumer.receive(first, 'waits');
    consumer.broker.rebalance([first]);
    release.resolve();
    await consumer.clock.advance(1_000);
    expect(batches).toEqual([['runs'], ['waits']]);
    expect(consumer.broker.commits.at(-1)).toMatchObject({ partition: 0, offset: 2 });
    expect(consumer.deadLetters).toEqual([]);
  });
});
