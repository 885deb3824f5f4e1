// Listens from outside, with kafkajs alone.
import { randomUUID } from 'node:crypto';
import { createDecoder, topics } from '@anabranch/contracts';
import kafkajs from 'kafkajs';

const topic = 'document.enriched';

async function consume({ kafka }, topicsToRead, onBatch) {
  const client = new kafkajs.Kafka({
    clientId: 'bench',
    brokers: kafka.split(','),
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const consumer = client.consumer({ groupId: `bench-${randomUUID()}`, maxWaitTimeInMs: 500 });
  const ready = Promise.withResolvers();
  consumer.on(consumer.events.GROUP_JOIN, ready.resolve);
  await consumer.connect();
  await consumer.subscribe({ topics: topicsToRead, fromBeginning: true });
  await consumer.run({ autoCommit: false, eachBatch: async ({ batch }) => onBatch(batch) });
  await ready.promise;
  return consumer;
}

/** Everything on document.enriched. @param {{ kafka: string }} book */
export async function listen(book) {
  /** All records, by document; as they came. */
  const records = new Map();
  const waiting = new Map();
  const note = (documentId, record) => {
    const known = records.get(documentId);
    if (known) known.push(record);
    else records.set(documentId, [record]);
    waiting.get(documentId)?.(record);
  };
  const consumer = await consume(book, [topic], ({ messages }) => {
    const receivedAt = Number(process.hrtime.bigint()) / 1e6;
    for (const { key, value, timestamp } of messages)
      note(key.toString(), { value, appendedAt: Number(timestamp), receivedAt });
  });
  return {
    records,
    /** Resolves with the next record of a document. */
    next: (documentId) =>
      new Promise((resolve) => {
        waiting.set(documentId, (record) => {
          waiting.delete(documentId);
          resolve(record);
        });
      }),
    stop: () => consumer.disconnect(),
  };
}

/** When records were appended, by topic, in epoch milliseconds. */
export async function followTopics(book, names) {
  const appended = new Map(names.map((name) => [name, []]));
  const consumer = await consume(book, names, (batch) => {
    appended.get(batch.topic).push(...batch.messages.map(({ timestamp }) => Number(timestamp)));
  });
  return { appended, stop: () => consumer.disconnect() };
}

const decoder = createDecoder(topic);
const schema = topics[topic].versions.at(-1)?.schema ?? '';

/** What a record says. */
export const readEnriched = ({ value }) => decoder.decode(value.readInt32BE(1), schema, value.subarray(5));

/** How many records a topic has. */
export async function countRecords({ kafka }, name) {
  const client = new kafkajs.Kafka({
    clientId: 'bench',
    brokers: kafka.split(','),
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const admin = client.admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(name);
  await admin.disconnect();
  return offsets.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0);
}
