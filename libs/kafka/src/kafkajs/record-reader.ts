import type { BrokerRecord, RecordHeader, TopicPartition } from '../broker-port.js';
import { ByteReader } from './byte-reader.js';
import { compressionNames, decompress } from './compression/decompress.js';

// Our own, because kafkajs' reader takes five times as long, reduces headers to an object, and makes strings of offsets.

/** What follows the length of a record batch up to its records. @see https://kafka.apache.org/documentation/#recordbatch */
const at = { magic: 16, attributes: 21, lastOffsetDelta: 23, firstTimestamp: 27, maxTimestamp: 35, producerId: 43 };
const countAt = 57;
const recordsAt = 61;

/** The bits of a batch's attributes. */
const bits = { compression: 0x07, appendTime: 0x08, transactional: 0x10, control: 0x20 };

const magic = 2;

/** Most records have none. */
const noHeaders: readonly RecordHeader[] = [];

/** What a batch says about all of its records. */
export interface BatchHeader {
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly producerId: bigint;
  readonly isTransactional: boolean;
  /** Markers of transactions, not records. */
  readonly isControl: boolean;
}

/** @throws Error when it is of a format before Kafka 0.11, which no broker of today hands out */
export function readBatchHeader(batch: Buffer): BatchHeader {
  const found = batch.readInt8(at.magic);
  if (found !== magic) {
    const error = new Error(`a record batch has the format ${found}, not ${magic}`);
    // Else kafkajs would fetch the same batch for ever.
    throw Object.assign(error, { retriable: false });
  }
  const attributes = batch.readInt16BE(at.attributes);
  const firstOffset = Number(batch.readBigInt64BE(0));
  return {
    firstOffset,
    lastOffset: firstOffset + batch.readInt32BE(at.lastOffsetDelta),
    producerId: batch.readBigInt64BE(at.producerId),
    isTransactional: (attributes & bits.transactional) !== 0,
    isControl: (attributes & bits.control) !== 0,
  };
}

/** Whether a batch of markers ends a transaction that was given up: its key says so, after a version. */
export function isAbortMarker(batch: Buffer): boolean {
  const record = new ByteReader(batch.subarray(recordsAt));
  skipToKey(record);
  return record.varbytes()?.readInt16BE(2) === 0;
}

function skipToKey(record: ByteReader): void {
  record.varint(); // length
  record.int8(); // attributes
  record.varlong(); // time
  record.varint(); // offset
}

/**
 * The records of a batch from `fromOffset` on; keys, values and headers are views of its bytes.
 * @throws Error when it cannot be decompressed, or is damaged
 */
export function readRecords(batch: Buffer, place: TopicPartition, fromOffset: number): BrokerRecord[] {
  const attributes = batch.readInt16BE(at.attributes);
  const firstOffset = Number(batch.readBigInt64BE(0));
  const isAppendTime = (attributes & bits.appendTime) !== 0;
  const firstTimestamp = Number(batch.readBigInt64BE(at.firstTimestamp));
  const maxTimestamp = Number(batch.readBigInt64BE(at.maxTimestamp));
  const reader = new ByteReader(recordBytes(batch, attributes & bits.compression));
  const records: BrokerRecord[] = [];
  for (let left = batch.readInt32BE(countAt); left > 0; left--) {
    const length = reader.varint();
    const end = reader.at + length;
    reader.int8(); // attributes, of which there are none
    const timestamp = firstTimestamp + reader.varlong();
    const offset = firstOffset + reader.varint();
    const record = new FetchedRecord(place, offset, isAppendTime ? maxTimestamp : timestamp, reader);
    if (reader.at !== end) throw new Error(`the record at offset ${offset} is not as long as it says`);
    if (offset >= fromOffset) records.push(record);
  }
  return records;
}

/** A class for the reason that `Work` is one. */
class FetchedRecord implements BrokerRecord {
  readonly topic: string;
  readonly partition: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];

  constructor(
    { topic, partition }: TopicPartition,
    readonly offset: number,
    readonly timestamp: number,
    reader: ByteReader,
  ) {
    this.topic = topic;
    this.partition = partition;
    this.key = reader.varbytes();
    this.value = reader.varbytes();
    this.headers = readHeaders(reader);
  }
}

function readHeaders(reader: ByteReader): readonly RecordHeader[] {
  let left = reader.varint();
  if (left === 0) return noHeaders;
  const headers: RecordHeader[] = [];
  for (; left > 0; left--) headers.push([reader.varbytes()?.toString('utf8') ?? '', reader.varbytes()]);
  return headers;
}

function recordBytes(batch: Buffer, compression: number): Buffer {
  const bytes = batch.subarray(recordsAt);
  if (compression === 0) return bytes;
  try {
    return decompress(compression, bytes);
  } catch (cause) {
    const name = compressionNames[compression] ?? `codec ${compression}`;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`a batch that is compressed with ${name} cannot be read: ${reason}`, { cause });
  }
}
