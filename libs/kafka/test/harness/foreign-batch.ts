import { encodeRecordBatch } from '../../src/kafkajs/record-batch.js';

interface ForeignBatch {
  readonly firstOffset: number;
  readonly values: readonly string[];
  readonly producerId?: bigint;
  readonly isTransactional?: boolean;
  /** A marker that ends a transaction of this producer. */
  readonly marker?: 'commit' | 'abort';
  readonly appendedAt?: number;
}

/** A batch as a broker stores it that came from a producer unlike ours: transactional, or with the broker's clock. */
export function foreignBatch(batch: ForeignBatch): Buffer {
  const { firstOffset, values, producerId = -1n, isTransactional = false, marker, appendedAt } = batch;
  const markerKey = marker === undefined ? null : Buffer.from([0, 0, 0, marker === 'abort' ? 0 : 1]);
  const bytes = encodeRecordBatch(
    values.map((value) => ({ key: markerKey, value: Buffer.from(value), headers: [] })),
    1_000,
  );
  const attributes =
    (appendedAt === undefined ? 0 : 0x08) | (isTransactional ? 0x10 : 0) | (marker === undefined ? 0 : 0x20);
  bytes.writeBigInt64BE(BigInt(firstOffset), 0);
  bytes.writeInt16BE(attributes, 21);
  bytes.writeBigInt64BE(BigInt(appendedAt ?? 1_000), 35);
  bytes.writeBigInt64BE(producerId, 43);
  return bytes;
}
