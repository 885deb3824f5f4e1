import { createRequire } from 'node:module';
import { ByteReader } from './byte-reader.js';
import { isAbortMarker, readBatchHeader } from './record-reader.js';

// kafkajs decodes every record of a fetch before anybody asks for it. With this it gets whole record batches, each of which
// it takes for one message: it still keeps offsets, filters what nobody sees, and hands on what is left, and the adapter reads
// the records (record-reader.ts).

const require = createRequire(import.meta.url);

/** What kafkajs takes for a message. */
export interface FetchedBatch {
  /** A whole record batch. */
  readonly bytes: Buffer;
  /** Of its last record: a batch is passed when its end is. */
  readonly offset: string;
  /** Markers, and what belongs to a transaction that was given up: nobody sees it, and it counts for the position. */
  readonly isControlRecord: boolean;
}

interface FetchedPartition {
  readonly partition: number;
  readonly errorCode: number;
  readonly highWatermark: string;
  readonly lastStableOffset: string;
  readonly lastStartOffset: string;
  /** Empty: who belongs to them is in the batches. */
  readonly abortedTransactions: readonly [];
  readonly preferredReadReplica: number;
  readonly messages: readonly FetchedBatch[];
}
interface FetchResponse {
  readonly throttleTime: number;
  readonly clientSideThrottleTime: number;
  readonly errorCode: number;
  readonly sessionId: number;
  readonly responses: readonly { readonly topicName: string; readonly partitions: readonly FetchedPartition[] }[];
}
interface ProtocolMessage {
  readonly response: { decode(bytes: Buffer): Promise<unknown> };
}
interface FetchDefinition {
  versions: string[];
  protocol(choice: { version: number }): (request: unknown) => ProtocolMessage;
}
interface AbortedTransaction {
  readonly producerId: bigint;
  readonly firstOffset: number;
}

/** The last one that kafkajs can write; brokers read it since Kafka 2.3. */
const version = '11';

/** Offset and length of a batch, which stand before what the length counts. */
const prefixBytes = 12;

/** Lets kafkajs fetch record batches instead of records. */
export function fetchWholeBatches(): void {
  const { requests } = require('kafkajs/src/protocol/requests') as { requests: { Fetch: FetchDefinition } };
  const { Fetch: definition } = requests;
  const original = definition.protocol;
  definition.versions = [version];
  definition.protocol = (choice) => (request) => {
    const message = original(choice)(request);
    return { ...message, response: { ...message.response, decode: async (bytes) => decodeFetchResponse(bytes) } };
  };
}

/** Fetch response, version 11. @see https://kafka.apache.org/protocol#The_Messages_Fetch */
export function decodeFetchResponse(bytes: Buffer): FetchResponse {
  const reader = new ByteReader(bytes);
  const clientSideThrottleTime = reader.int32();
  const errorCode = reader.int16();
  const sessionId = reader.int32();
  const responses = arrayOf(reader, () => ({
    topicName: reader.string() ?? '',
    partitions: arrayOf(reader, () => decodePartition(reader)),
  }));
  // The broker does not wait itself since KIP-219.
  return { throttleTime: 0, clientSideThrottleTime, errorCode, sessionId, responses };
}

function decodePartition(reader: ByteReader): FetchedPartition {
  const partition = reader.int32();
  const errorCode = reader.int16();
  const highWatermark = String(reader.int64());
  const lastStableOffset = String(reader.int64());
  const lastStartOffset = String(reader.int64());
  const aborted = arrayOf(reader, () => ({ producerId: reader.int64(), firstOffset: Number(reader.int64()) }));
  const preferredReadReplica = reader.int32();
  const messages = splitBatches(reader.take(Math.max(0, reader.int32())), aborted);
  const offsets = { highWatermark, lastStableOffset, lastStartOffset };
  return { partition, errorCode, ...offsets, abortedTransactions: [], preferredReadReplica, messages };
}

/** A negative count stands for no array. */
function arrayOf<T>(reader: ByteReader, read: () => T): T[] {
  const items: T[] = [];
  for (let left = reader.int32(); left > 0; left--) items.push(read());
  return items;
}

/** The batches of a partition; the last one may be cut off, because the broker fills up what was asked for. */
function splitBatches(bytes: Buffer, aborted: readonly AbortedTransaction[]): FetchedBatch[] {
  const batches: FetchedBatch[] = [];
  const isSeen = visibility(aborted);
  for (let from = 0; from + prefixBytes <= bytes.length;) {
    const end = from + prefixBytes + bytes.readInt32BE(from + prefixBytes - 4);
    if (end > bytes.length) break;
    const batch = bytes.subarray(from, end);
    const header = readBatchHeader(batch);
    batches.push({ bytes: batch, offset: String(header.lastOffset), isControlRecord: !isSeen(batch, header) });
    from = end;
  }
  return batches;
}

/**
 * Says of one batch after the other whether its records are seen. The broker lists the transactions that were given up,
 * by their first offsets; each ends with its marker.
 */
function visibility(
  aborted: readonly AbortedTransaction[],
): (batch: Buffer, header: ReturnType<typeof readBatchHeader>) => boolean {
  const ahead = aborted.toSorted((one, other) => one.firstOffset - other.firstOffset);
  const current = new Set<bigint>();
  return (batch, { lastOffset, producerId, isTransactional, isControl }) => {
    while (ahead[0] !== undefined && ahead[0].firstOffset <= lastOffset)
      current.add((ahead.shift() as AbortedTransaction).producerId);
    if (isControl && isAbortMarker(batch)) current.delete(producerId);
    return !isControl && !(isTransactional && current.has(producerId));
  };
}
