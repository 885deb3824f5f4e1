import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeRecordBatch } from '../src/kafkajs/record-batch.js';
import { readRecords } from '../src/kafkajs/record-reader.js';
import type { OutgoingRecord } from '../src/producer/send-port.js';

const require = createRequire(import.meta.url);

interface KafkajsRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly offset: string;
  readonly timestamp: string;
}

const Decoder = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => object;
/** Another reader of the same format, as the judge of both of ours. It loses the order of headers. */
const decodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder') as (
  decoder: object,
) => Promise<{ readonly records: readonly KafkajsRecord[] }>;

const bytes = fc.uint8Array({ maxLength: 300 }).map((content) => Buffer.from(content));
const nullableBytes = fc.option(bytes);
const name = fc.oneof(fc.string(), fc.constantFrom('a', 'b', '1', '{', '__proto__', 'ä€😀'));
const record: fc.Arbitrary<OutgoingRecord> = fc.record({
  key: nullableBytes,
  value: nullableBytes,
  headers: fc.array(fc.tuple(name, nullableBytes), { maxLength: 8 }),
});
const records = fc.array(record, { minLength: 1, maxLength: 200 });
const place = { topic: 'topic', partition: 3 };

describe('a record batch', () => {
  it('carries keys, values and headers as they are: order, repetition, emptiness and absence included', () => {
    fc.assert(
      fc.property(records, fc.nat(2 ** 42), (sent, timestamp) => {
        const read = readRecords(encodeRecordBatch(sent, timestamp), place, 0);
        // Invalid Unicode in a name has no UTF-8, and becomes the replacement character.
        const expected = sent.map(({ key, value, headers }, offset) => {
          const wellFormed = headers.map(([header, content]) => [header.toWellFormed(), content]);
          return { ...place, offset, timestamp, key, value, headers: wellFormed };
        });
        expect(read).toEqual(expected);
      }),
    );
  });

  it('is understood by kafkajs, too', async () => {
    await fc.assert(
      fc.asyncProperty(records, fc.nat(2 ** 42), async (sent, timestamp) => {
        const headless = sent.map(({ key, value }) => ({ key, value, headers: [] }));
        const { records: decoded } = await decodeBatch(new Decoder(encodeRecordBatch(headless, timestamp)));
        expect(decoded.map(({ key, value }) => ({ key, value, headers: [] }))).toEqual(headless);
        expect(decoded.map(({ offset }) => Number(offset))).toEqual(sent.map((_, index) => index));
        expect(decoded.every((each) => Number(each.timestamp) === timestamp)).toBe(true);
      }),
    );
  });

  it('takes fields of every length of their length', () => {
    for (const length of [0, 63, 64, 8_191, 8_192, 1_048_575, 1_048_576]) {
      const sent = { key: null, value: Buffer.alloc(length, 1), headers: [] };
      const [read] = readRecords(encodeRecordBatch([sent], 1), place, 0);
      expect(read?.value?.length).toBe(length);
    }
  });
});
