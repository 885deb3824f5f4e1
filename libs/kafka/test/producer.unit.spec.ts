import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { partitionOf, type DocumentIngestedInput } from '@anabranch/contracts';
import { DependencyUnavailable, PoisonMessage, StopService } from '@anabranch/failures';
import fc from 'fast-check';
import { BatchingProducer, producerDefaults, type ProducerSettings } from '../src/producer/batching-producer.js';
import { MissingTopic, type OutgoingRecord, type SendPort } from '../src/producer/send-port.js';
import { settled, VirtualClock } from '../src/testing/index.js';

interface Send {
  readonly partition: number;
  readonly records: readonly OutgoingRecord[];
  readonly answer: PromiseWithResolvers<void>;
}

/** A broker that answers when the test says so. */
class ManualPort implements SendPort {
  readonly outstanding: Send[] = [];
  readonly log: { partition: number; value: string }[] = [];
  partitions = Promise.resolve(4);
  isStopped = false;

  partitionCount(topic: string): Promise<number> {
    return topic === 'missing' || topic === 'document.enriched'
      ? Promise.reject(new MissingTopic(topic))
      : this.partitions;
  }

  send(_topic: string, partition: number, records: readonly OutgoingRecord[]): Promise<void> {
    const answer = Promise.withResolvers<void>();
    this.outstanding.push({ partition, records, answer });
    return answer.promise;
  }

  /** Answers an outstanding send, the oldest unless said otherwise. */
  async answer(error?: Error, index = 0): Promise<Send> {
    const [send] = this.outstanding.splice(index, 1);
    if (send === undefined) throw new Error('nothing is outstanding');
    if (error === undefined) {
      for (const { value } of send.records) this.log.push({ partition: send.partition, value: String(value) });
      send.answer.resolve();
    } else {
      send.answer.reject(error);
    }
    await turned();
    return send;
  }

  stop(): Promise<void> {
    this.isStopped = true;
    return Promise.resolve();
  }
}

/** All that follows from what was published in this turn of the event loop. */
async function turned(): Promise<void> {
  await settled();
  await nextTurn();
  await settled();
}

const document = (documentId: string, text = 'text'): DocumentIngestedInput => ({
  tenantId: 'tenant',
  documentId,
  revision: 1,
  occurredAt: 0,
  text,
});
const raw = (value: string, partition?: number) => ({ key: null, value: Buffer.from(value), headers: [], partition });

describe('the producer', () => {
  let port: ManualPort;
  let clock: VirtualClock;
  let acknowledged: string[];

  beforeEach(() => {
    port = new ManualPort();
    clock = new VirtualClock();
    acknowledged = [];
  });

  const create = (settings: Partial<ProducerSettings> = {}) =>
    new BatchingProducer({
      config: { clientId: 'collection' },
      port,
      registry: { idOf: () => Promise.resolve(7) },
      metrics: { acknowledged: (topic) => acknowledged.push(topic) },
      settings: { ...producerDefaults, ...settings },
      clock,
    });

  it('has one send per partition outstanding, of what came in one turn, and makes the next batch of what waited', async () => {
    const producer = create();
    const publish = (...values: string[]) =>
      values.forEach((value) => void producer.publishRaw('topic', raw(value, 1)));
    publish('a', 'b');
    void producer.publishRaw('topic', raw('other', 2));
    await turned();
    publish('c');
    await turned();
    publish('d');
    await turned();
    expect(port.outstanding.map(({ partition, records }) => [partition, records.length])).toEqual([
      [1, 2],
      [2, 1],
    ]);
    await port.answer();
    expect(port.outstanding.at(-1)?.records.map(({ value }) => String(value))).toEqual(['c', 'd']);
  });

  it('cuts a batch at its limits, and sends alone what is larger than one', async () => {
    const producer = create({ batch: { maxBytes: 1_000, maxRecords: 3 } });
    const sizes = [10, 10, 10, 10, 10, 2_000, 10];
    for (const size of sizes) void producer.publishRaw('topic', raw('x'.repeat(size), 0));
    await turned();
    const batches: number[][] = [];
    while (port.outstanding.length > 0) {
      const { records } = await port.answer();
      batches.push(records.map(({ value }) => value?.length ?? 0));
    }
    expect(batches).toEqual([[10, 10, 10], [10, 10], [2_000], [10]]);
  });

  it('resolves a publish when the broker has acknowledged its record, and only then', async () => {
    const producer = create();
    let isDone = false;
    void producer.publish('document.ingested', document('d')).then(() => (isDone = true));
    await turned();
    expect(isDone).toBe(false);
    await port.answer();
    expect(isDone).toBe(true);
    expect(acknowledged).toEqual(['document.ingested']);
  });

  it('puts a document where the Java client would, and gives it the wire format and its headers', async () => {
    const producer = create();
    void producer.publish('document.ingested', document('doc-1'), { headers: { traceparent: '00-aa-bb-01' } });
    await turned();
    const { partition, records } = await port.answer();
    expect(partition).toBe(partitionOf('doc-1', 4));
    expect(String(records[0]?.key)).toBe('doc-1');
    expect(records[0]?.value?.subarray(0, 5)).toEqual(Buffer.from([0, 0, 0, 0, 7]));
    expect(records[0]?.headers).toEqual([['traceparent', Buffer.from('00-aa-bb-01')]]);
  });

  it('makes CloudEvents of the topics that are told', async () => {
    const producer = create({ cloudEvents: ['document.ingested'] });
    void producer.publish('document.ingested', { ...document('d'), eventId: 'e-1' });
    await turned();
    const { records } = await port.answer();
    expect(records[0]?.headers.map(([name, value]) => [name, String(value)])).toEqual([
      ['ce_specversion', '1.0'],
      ['ce_id', 'e-1'],
      ['ce_type', 'document.ingested'],
      ['ce_source', '/anabranch/collection'],
      ['ce_time', '1970-01-01T00:00:00.000Z'],
      ['content-type', 'application/avro'],
    ]);
  });

  it('makes publish wait when too much waits, and goes on in order', async () => {
    const producer = create({ queue: { maxRecords: 2, maxBytes: 10_000 } });
    for (const value of ['a', 'b', 'c', 'd']) void producer.publishRaw('topic', raw(value, 0));
    await turned();
    expect(port.outstanding.map(({ records }) => records.length)).toEqual([2]);
    await port.answer();
    await port.answer();
    expect(port.log.map(({ value }) => value)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keeps the order of its calls in every order of answers', async () => {
    const plan = fc.array(fc.tuple(fc.constantFrom('publish', 'answer', 'fail'), fc.nat(3), fc.nat(5)), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(plan, fc.integer({ min: 1, max: 5 }), async (steps, maxRecords) => {
        port = new ManualPort();
        const cold = Promise.withResolvers<number>();
        port.partitions = cold.promise;
        const producer = create({ batch: { maxBytes: 500, maxRecords }, queue: { maxBytes: 700, maxRecords: 6 } });
        let next = 0;
        const rejected = new Set<string>();
        for (const [step, partition, index] of steps) {
          const value = String(next);
          if (step === 'publish')
            producer.publishRaw('topic', raw(String(next++), partition)).catch(() => rejected.add(value));
          else if (port.outstanding.length > 0) {
            await port.answer(step === 'fail' ? new Error('no') : undefined, index % port.outstanding.length);
          }
          if (index === 0) cold.resolve(4);
        }
        cold.resolve(4);
        await turned();
        while (port.outstanding.length > 0) await port.answer();
        for (const partition of [0, 1, 2, 3]) {
          const values = port.log.filter((entry) => entry.partition === partition).map(({ value }) => Number(value));
          expect(values).toEqual([...values].sort((a, b) => a - b));
        }
        expect(port.log.length + rejected.size).toBe(next);
      }),
    );
  });

  it('fails the records of a rejected send and goes on with the next', async () => {
    const producer = create();
    const first = producer.publishRaw('topic', raw('a', 0));
    await turned();
    const second = producer.publishRaw('topic', raw('b', 0));
    await turned();
    const rejection = first.catch((error: Error) => error.message);
    await port.answer(new DependencyUnavailable('kafka', 'kafka is down'));
    expect(await rejection).toBe('kafka is down');
    await port.answer();
    await expect(second).resolves.toBeUndefined();
  });

  it('refuses an event that no broker would take, without sending it', async () => {
    const publish = create().publish('document.ingested', document('d', 'x'.repeat(1_100_000)));
    await expect(publish).rejects.toMatchObject({ name: PoisonMessage.name, code: 'RESULT_TOO_LARGE' });
    expect(port.outstanding).toEqual([]);
  });

  it('stops the service when a topic of events is missing, but not for a missing topic of dead letters', async () => {
    const producer = create();
    await expect(producer.publish('document.enriched', {} as never)).rejects.toBeInstanceOf(StopService);
    await expect(producer.publishRaw('missing', raw('a'))).rejects.toBeInstanceOf(MissingTopic);
  });

  it('says everything that is missing at its start', async () => {
    await expect(create().start(['document.ingested', 'document.enriched'])).rejects.toThrow(
      /The topic document.enriched does not exist.*npm start/,
    );
  });

  it('sends what waits when it is stopped, and takes nothing more', async () => {
    const producer = create();
    void producer.publishRaw('topic', raw('a', 0));
    await turned();
    const stopped = producer.stop(1_000);
    await expect(producer.publishRaw('topic', raw('b', 0))).rejects.toThrow('The producer is stopped.');
    await port.answer();
    await stopped;
    expect([port.log.length, port.isStopped]).toEqual([1, true]);
  });

  it('does not wait for ever when it is stopped', async () => {
    const producer = create();
    producer.publishRaw('topic', raw('a', 0)).catch(() => {});
    await turned();
    const stopped = producer.stop(1_000);
    await clock.advance(1_000);
    await stopped;
    expect(port.isStopped).toBe(true);
  });
});
