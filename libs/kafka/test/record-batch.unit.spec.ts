import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { patchKafkajs, type OrderedHeader } from '../src/kafkajs/patches.js';
import { encodeRecordBatch } from '../src/kafkajs/record-batch.js';
import type { OutgoingRecord } from '../src/producer/send-port.js';

const require = createRequire(import.meta.url);

interface DecodedBatch {
  readonly records: readonly {
    readonly key: Buffer | null;
    readonly value: Buffer | null;
    readonly headers: readonly OrderedHeader[];
    readonly offset: string;
    readonly timestamp: string;
  }[];
}

const Decoder = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => object;
const decodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder') as (
  decoder: object,
) => Promise<DecodedBatch>;

const bytes = fc.uint8Array({ maxLength: 300 }).map((content) => Buffer.from(content));
const nullableBytes = fc.option(bytes);
const name = fc.oneof(fc.string(), fc.constantFrom('a', 'b', '1', '{', '__proto__', 'ä€😀'));
const record: fc.Arbitrary<OutgoingRecord> = fc.record({
  key: nullableBytes,
  value: nullableBytes,
  headers: fc.array(fc.tuple(name, nullableBytes), { maxLength: 8 }),
});

describe('a record batch', () => {
  beforeAll(() => patchKafkajs());

  it('carries keys, values and headers as they are: order, repetition, emptiness and absence included', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 200 }),
        fc.nat(2 ** 42),
        async (records, timestamp) => {
          const { records: decoded } = await decodeBatch(new Decoder(encodeRecordBatch(records, timestamp)));
          const read = decoded.map(({ key, value, headers }) => ({
            key,
            value,
            headers: headers.map((header) => [header.key, header.value]),
          }));
          // Invalid Unicode in a name has no UTF-8, and becomes the replacement character.
          const sent = records.map(({ headers, ...rest }) => ({
            ...rest,
            headers: headers.map(([header, value]) => [header.toWellFormed(), value]),
          }));
          expect(read).toEqual(sent);
          expect(decoded.map(({ offset }) => Number(offset))).toEqual(records.map((_, index) => index));
          expect(decoded.every((each) => Number(each.timestamp) === timestamp)).toBe(true);
        },
      ),
    );
  });

  it('takes fields of every length of their length', async () => {
    for (const length of [0, 63, 64, 8_191, 8_192, 1_048_575, 1_048_576]) {
      const sent = { key: null, value: Buffer.alloc(length, 1), headers: [] };
      const { records } = await decodeBatch(new Decoder(encodeRecordBatch([sent], 1)));
      expect(records[0]?.value?.length).toBe(length);
    }
  });
});
