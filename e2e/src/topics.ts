// A Kafka client that shares no code with the product: it reads and writes the topics as a foreign service would.
import avro from 'avsc';
import kafkajs from 'kafkajs';
import { addressBook } from './platform.js';

export interface TopicRecord {
  key: string;
  partition: number;
  offset: string;
  /** The broker's, epoch milliseconds. */
  timestamp: number;
  headers: Record<string, string>;
  event: Record<string, unknown>;
}

const connect = (): kafkajs.Kafka =>
  new kafkajs.Kafka({ clientId: 'e2e', brokers: addressBook().kafka.split(','), logLevel: kafkajs.logLevel.NOTHING });

const schemas = new Map<number, Promise<avro.Type>>();

const typeOf = (id: number): Promise<avro.Type> => {
  const known = schemas.get(id);
  if (known) return known;
  const loading = fetch(`${addressBook().registry}/schemas/ids/${id}`)
    .then((response) => response.json() as Promise<{ schema: string }>)
    .then(({ schema }) => avro.Type.forSchema(JSON.parse(schema) as avro.Schema, { registry: {} }));
  schemas.set(id, loading);
  return loading;
};

/** Topics hold the poison of other specs as well; what has no magic byte is no event. */
const decode = async (value: Buffer): Promise<Record<string, unknown>> => {
  if (value[0] !== 0) return {};
  const type = await typeOf(value.readInt32BE(1));
  return type.fromBuffer(value.subarray(5)) as Record<string, unknown>;
};

/** Everything that lies in a topic now, decoded; reads to the end offsets seen at the call. */
export const dump = async (topic: string): Promise<TopicRecord[]> => {
  const kafka = connect();
  const admin = kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const waiting = new Map(ends.filter((p) => p.high !== p.low).map((p) => [p.partition, BigInt(p.high)]));
  if (waiting.size === 0) return [];
  const records: TopicRecord[] = [];
  const consumer = kafka.consumer({ groupId: `e2e-dump-${crypto.randomUUID()}`, maxWaitTimeInMs: 50 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise<void>((done, fail) => {
    consumer.on(consumer.events.CRASH, (event) => fail(event.payload.error));
    consumer
      .run({
        autoCommit: false,
        eachBatch: async ({ batch }) => {
          for (const message of batch.messages) {
            const headers = Object.fromEntries(Object.entries(message.headers ?? {}).map(([k, v]) => [k, String(v)]));
            const event = await decode(message.value!);
            records.push({
              key: String(message.key),
              partition: batch.partition,
              offset: message.offset,
              timestamp: Number(message.timestamp),
              headers,
              event,
            });
          }
          const end = waiting.get(batch.partition);
          if (end !== undefined && BigInt(batch.lastOffset()) + 1n >= end) waiting.delete(batch.partition);
          if (waiting.size === 0) done();
        },
      })
      .catch(fail);
  });
  await consumer.disconnect();
  return records;
};

/** Publishes events with the latest schema of the registry, as any Avro producer does; to the partition of the key, or another. */
export const publish = async (
  topic: string,
  events: { key: string; event: Record<string, unknown>; partition?: number }[],
): Promise<void> => {
  const response = await fetch(`${addressBook().registry}/subjects/${topic}-value/versions/latest`);
  const { id, schema } = (await response.json()) as { id: number; schema: string };
  const type = avro.Type.forSchema(JSON.parse(schema) as avro.Schema, { registry: {} });
  const header = Buffer.alloc(5);
  header.writeInt32BE(id, 1);
  const producer = connect().producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  const messages = events.map(({ event, ...where }) => ({
    ...where,
    value: Buffer.concat([header, type.toBuffer(event)]),
  }));
  await producer.send({ topic, acks: -1, messages });
  await producer.disconnect();
};

/** Publishes bytes as they are: what a broken producer does. */
export const publishBytes = async (topic: string, key: string, value: Buffer): Promise<void> => {
  const producer = connect().producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({ topic, acks: -1, messages: [{ key, value }] });
  await producer.disconnect();
};
