import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { decodeFetchResponse, type FetchedBatch } from '../src/kafkajs/fetch-response.js';
import { readRecords } from '../src/kafkajs/record-reader.js';
import { foreignBatch } from './harness/foreign-batch.js';

const require = createRequire(import.meta.url);

interface Encoder {
  readonly buffer: Buffer;
  writeInt16(value: number): this;
  writeInt32(value: number): this;
  writeInt64(value: number): this;
  writeString(value: string): this;
  writeBuffer(value: Buffer): this;
}
const KafkajsEncoder = require('kafkajs/src/protocol/encoder') as new () => Encoder;
const KafkajsBatch = require('kafkajs/src/consumer/batch') as new (
  topic: string,
  fetchedOffset: string,
  partition: object,
) => { messages: readonly FetchedBatch[]; lastOffset(): string; isEmptyDueToFiltering(): boolean };

interface Aborted {
  readonly producerId: number;
  readonly firstOffset: number;
}

/** What a broker answers for one partition. */
function response(recordSet: Buffer, aborted: readonly Aborted[] = []): Buffer {
  const encoder = new KafkajsEncoder().writeInt32(9).writeInt16(0).writeInt32(77).writeInt32(1);
  encoder.writeString('topic').writeInt32(1);
  encoder.writeInt32(5).writeInt16(3).writeInt64(100).writeInt64(99).writeInt64(1).writeInt32(aborted.length);
  for (const { producerId, firstOffset } of aborted) encoder.writeInt64(producerId).writeInt64(firstOffset);
  return encoder.writeInt32(-1).writeInt32(recordSet.length).writeBuffer(recordSet).buffer;
}

/** What kafkajs makes of it, and what is read from that. */
function fetched(recordSet: Buffer, { fetchedOffset = 0, aborted = [] as readonly Aborted[] } = {}) {
  const [partition] = decodeFetchResponse(response(recordSet, aborted)).responses[0]?.partitions ?? [];
  if (partition === undefined) throw new Error('the response has no partition');
  const batch = new KafkajsBatch('topic', String(fetchedOffset), partition);
  const records = batch.messages.flatMap(({ bytes }) =>
    readRecords(bytes, { topic: 'topic', partition: 5 }, fetchedOffset),
  );
  return { batch, values: records.map(({ value }) => String(value)) };
}

describe('the response to a fetch', () => {
  it('tells what kafkajs wants to know, with whole batches as messages', () => {
    const first = foreignBatch({ firstOffset: 10, values: ['a', 'b'] });
    const { responses, ...rest } = decodeFetchResponse(response(first));
    expect(rest).toEqual({ throttleTime: 0, clientSideThrottleTime: 9, errorCode: 0, sessionId: 77 });
    const messages = [{ bytes: first, offset: '11', isControlRecord: false }];
    const offsets = { highWatermark: '100', lastStableOffset: '99', lastStartOffset: '1' };
    const partition = { partition: 5, errorCode: 3, ...offsets, abortedTransactions: [], preferredReadReplica: -1 };
    expect(responses).toEqual([{ topicName: 'topic', partitions: [{ ...partition, messages }] }]);
  });

  it('is read up to the batch that is cut off', () => {
    const first = foreignBatch({ firstOffset: 0, values: ['a', 'b'] });
    const second = foreignBatch({ firstOffset: 2, values: ['c'] });
    for (let cut = 1; cut <= second.length; cut++) {
      const { batch, values } = fetched(Buffer.concat([first, second.subarray(0, second.length - cut)]));
      expect([values, batch.lastOffset()]).toEqual([['a', 'b'], '1']);
    }
    expect(fetched(Buffer.concat([first, second])).values).toEqual(['a', 'b', 'c']);
  });

  it('may have nothing for a partition', () => {
    const { batch, values } = fetched(Buffer.alloc(0));
    expect([values, batch.lastOffset()]).toEqual([[], '99']);
  });

  it('may begin before what was asked for', () => {
    const old = foreignBatch({ firstOffset: 0, values: ['a'] });
    const { batch, values } = fetched(Buffer.concat([old, foreignBatch({ firstOffset: 1, values: ['b', 'c'] })]), {
      fetchedOffset: 2,
    });
    expect([values, batch.lastOffset()]).toEqual([['c'], '2']);
  });

  it('refuses the formats of before Kafka 0.11', () => {
    const old = foreignBatch({ firstOffset: 0, values: ['a'] });
    old.writeInt8(1, 16);
    expect(() => fetched(old)).toThrow('has the format 1');
  });
});

describe('a transaction', () => {
  const of = (producerId: bigint, firstOffset: number, value: string): Buffer =>
    foreignBatch({ firstOffset, values: [value], producerId, isTransactional: true });
  const end = (producerId: bigint, firstOffset: number, marker: 'commit' | 'abort'): Buffer =>
    foreignBatch({ firstOffset, values: [''], producerId, isTransactional: true, marker });

  it('is seen when it was committed; its marker never is, and is passed', () => {
    const { batch, values } = fetched(Buffer.concat([of(1n, 0, 'a'), end(1n, 1, 'commit')]));
    expect([values, batch.lastOffset()]).toEqual([['a'], '1']);
  });

  it('is not seen when it was given up, among those of others and before the next one of its producer', () => {
    const log = [of(1n, 0, 'lost'), of(2n, 1, 'kept'), of(1n, 2, 'lost'), end(1n, 3, 'abort')];
    const later = [of(1n, 4, 'next'), end(2n, 5, 'commit'), end(1n, 6, 'commit')];
    const plain = foreignBatch({ firstOffset: 7, values: ['plain'] });
    const { values } = fetched(Buffer.concat([...log, ...later, plain]), {
      aborted: [{ producerId: 1, firstOffset: 0 }],
    });
    expect(values).toEqual(['kept', 'next', 'plain']);
  });

  it('is not seen when several were given up that began before the fetch', () => {
    const log = [of(2n, 10, 'lost'), of(1n, 11, 'lost'), end(1n, 12, 'abort'), end(2n, 13, 'abort')];
    const aborted = [
      { producerId: 2, firstOffset: 5 },
      { producerId: 1, firstOffset: 3 },
    ];
    const { batch, values } = fetched(Buffer.concat(log), { fetchedOffset: 10, aborted });
    expect([values, batch.isEmptyDueToFiltering(), batch.lastOffset()]).toEqual([[], true, '13']);
  });
});
