import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteReader } from '../src/kafkajs/byte-reader.js';
import { readRecords } from '../src/kafkajs/record-reader.js';
import { foreignBatch } from './harness/foreign-batch.js';

const place = { topic: 'topic', partition: 0 };
const values = (batch: Buffer, from = 0): string[] => readRecords(batch, place, from).map(({ value }) => String(value));

/** The batch with its records compressed, as a foreign producer or the broker may do. */
function compressed(batch: Buffer, codec: number, compress: (bytes: Buffer) => Buffer): Buffer {
  const bytes = Buffer.concat([batch.subarray(0, 61), compress(batch.subarray(61))]);
  bytes.writeInt16BE(bytes.readInt16BE(21) | codec, 21);
  return bytes;
}

describe('the records of a batch', () => {
  it('are read from the offset on that was asked for, which may lie inside of the batch', () => {
    const batch = foreignBatch({ firstOffset: 40, values: ['a', 'b', 'c'] });
    expect(readRecords(batch, place, 41).map(({ offset, value }) => [offset, String(value)])).toEqual([
      [41, 'b'],
      [42, 'c'],
    ]);
    expect(readRecords(batch, place, 43)).toEqual([]);
  });

  it('have the broker’s time where the topic says so', () => {
    const [byProducer] = readRecords(foreignBatch({ firstOffset: 0, values: ['a'] }), place, 0);
    const [byBroker] = readRecords(foreignBatch({ firstOffset: 0, values: ['a'], appendedAt: 7 }), place, 0);
    expect([byProducer?.timestamp, byBroker?.timestamp]).toEqual([1_000, 7]);
  });

  it('are decompressed', () => {
    const batch = foreignBatch({ firstOffset: 0, values: ['a', 'b'] });
    expect(values(compressed(batch, 1, (bytes) => gzipSync(bytes)))).toEqual(['a', 'b']);
    expect(values(compressed(batch, 4, (bytes) => zstdCompressSync(bytes)))).toEqual(['a', 'b']);
  });

  it('are refused with the name of the codec when they cannot be decompressed, and when nobody knows the codec', () => {
    const batch = foreignBatch({ firstOffset: 0, values: ['a', 'b'] });
    expect(() => values(compressed(batch, 3, (bytes) => bytes))).toThrow('compressed with lz4 cannot be read');
    expect(() => values(compressed(batch, 6, (bytes) => bytes))).toThrow('codec 6 cannot be read');
  });

  it('are refused when they are damaged, whatever the damage is', () => {
    const batch = foreignBatch({ firstOffset: 0, values: ['some text', 'more of it'] });
    for (let length = 62; length < batch.length; length++) {
      expect(() => values(batch.subarray(0, length))).toThrow(/ends? early/);
    }
    const longer = Buffer.from(batch);
    longer.writeUInt8(longer.readUInt8(61) + 2, 61);
    expect(() => values(longer)).toThrow('not as long as it says');
  });
});

describe('numbers of variable length', () => {
  /** As in https://protobuf.dev/programming-guides/encoding/#signed-ints. */
  function encode(value: bigint): Buffer {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    return Buffer.from([...bytes, Number(rest)]);
  }

  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.integer(), fc.maxSafeInteger(), (int, long) => {
        expect(new ByteReader(encode(BigInt(int))).varint()).toBe(int);
        expect(new ByteReader(encode(BigInt(long))).varlong()).toBe(long);
      }),
    );
  });

  it('are refused when they never end', () => {
    expect(() => new ByteReader(Buffer.alloc(20, 0xff)).varint()).toThrow('more than five bytes');
    expect(() => new ByteReader(Buffer.alloc(20, 0xff)).varlong()).toThrow('more than ten bytes');
    expect(() => new ByteReader(Buffer.alloc(3, 0xff)).varlong()).toThrow('end early');
  });
});
