import { createRequire } from 'node:module';
import type { OutgoingRecord } from '../producer/send-port.js';

const require = createRequire(import.meta.url);
const crc32c = require('kafkajs/src/protocol/recordBatch/crc32C') as (bytes: Buffer) => number;

/** From the first byte of a batch to its records. */
const headerBytes = 61;
/** Where the length begins to count, and where the checksum does. */
const lengthFrom = 12;
const checksumFrom = 21;
const magic = 2;
/** No producer id, epoch or sequence: the batch of a producer that is not idempotent (semantics §9). */
const none = -1;

/**
 * A record batch as Kafka stores it, uncompressed. Our own, because kafkajs takes headers as an object: names could not
 * alternate, and a header without a value would make it fail.
 * @see https://kafka.apache.org/documentation/#recordbatch
 */
export function encodeRecordBatch(records: readonly OutgoingRecord[], timestamp: number): Buffer {
  const bodies = records.map((record, index) => bodySizeOf(record, index));
  const size = bodies.reduce((sum, body) => sum + sizeOfVarint(body) + body, headerBytes);
  const batch = new Writer(Buffer.allocUnsafe(size));
  batch.int64(0n); // the broker sets the offset
  batch.int32(size - lengthFrom);
  batch.int32(none); // leader epoch
  batch.int8(magic);
  batch.int32(0); // checksum, below
  batch.int16(0); // attributes: uncompressed, the producer's time
  batch.int32(records.length - 1);
  batch.int64(BigInt(timestamp));
  batch.int64(BigInt(timestamp));
  batch.int64(BigInt(none));
  batch.int16(none);
  batch.int32(none);
  batch.int32(records.length);
  records.forEach((record, index) => writeRecord(batch, record, { index, size: bodies[index] ?? 0 }));
  batch.bytes.writeUInt32BE(crc32c(batch.bytes.subarray(checksumFrom)), checksumFrom - 4);
  return batch.bytes;
}

function bodySizeOf({ key, value, headers }: OutgoingRecord, index: number): number {
  // One byte of attributes, one of a time that does not differ from the batch's.
  let size = 2 + sizeOfVarint(index) + sizeOfBytes(key) + sizeOfBytes(value) + sizeOfVarint(headers.length);
  for (const [name, content] of headers) {
    const nameBytes = Buffer.byteLength(name);
    size += sizeOfVarint(nameBytes) + nameBytes + sizeOfBytes(content);
  }
  return size;
}

function writeRecord(
  batch: Writer,
  { key, value, headers }: OutgoingRecord,
  { index, size }: { index: number; size: number },
): void {
  batch.varint(size);
  batch.int8(0);
  batch.varint(0);
  batch.varint(index);
  batch.nullable(key);
  batch.nullable(value);
  batch.varint(headers.length);
  for (const [name, content] of headers) {
    batch.nullable(Buffer.from(name));
    batch.nullable(content);
  }
}

const zigzag = (value: number): number => ((value << 1) ^ (value >> 31)) >>> 0;

function sizeOfVarint(value: number): number {
  return Math.max(1, Math.ceil((32 - Math.clz32(zigzag(value))) / 7));
}

function sizeOfBytes(bytes: Buffer | null): number {
  return bytes === null ? sizeOfVarint(none) : sizeOfVarint(bytes.length) + bytes.length;
}

/** Writes one value after the other; the size was computed before. */
class Writer {
  private at = 0;

  constructor(readonly bytes: Buffer) {}

  int8(value: number): void {
    this.at = this.bytes.writeInt8(value, this.at);
  }

  int16(value: number): void {
    this.at = this.bytes.writeInt16BE(value, this.at);
  }

  int32(value: number): void {
    this.at = this.bytes.writeInt32BE(value, this.at);
  }

  int64(value: bigint): void {
    this.at = this.bytes.writeBigInt64BE(value, this.at);
  }

  varint(value: number): void {
    let rest = zigzag(value);
    while (rest > 0x7f) {
      this.at = this.bytes.writeUInt8((rest & 0x7f) | 0x80, this.at);
      rest >>>= 7;
    }
    this.at = this.bytes.writeUInt8(rest, this.at);
  }

  nullable(value: Buffer | null): void {
    this.varint(value?.length ?? none);
    if (value !== null) this.at += value.copy(this.bytes, this.at);
  }
}
