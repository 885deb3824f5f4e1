// What lies on Kafka in the end, read by a client that shares no code with the product.
import avro from 'avsc';
import kafkajs from 'kafkajs';

/** @param {{ kafka: string, registry: string }} book */
export function openTopics({ kafka: brokers, registry }) {
  const kafka = new kafkajs.Kafka({
    clientId: 'proof',
    brokers: brokers.split(','),
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const types = new Map();
  const typeOf = async (id) => {
    if (!types.has(id)) {
      const { schema } = await (await fetch(`${registry}/schemas/ids/${id}`)).json();
      types.set(id, avro.Type.forSchema(JSON.parse(schema), { registry: {} }));
    }
    return types.get(id);
  };
  const decode = async (value) => (await typeOf(value.readInt32BE(1))).fromBuffer(value.subarray(5));
  return {
    names: () => withAdmin(kafka, async (admin) => (await admin.listTopics()).filter((name) => !name.startsWith('_'))),
    /** Everything that lies in a topic now. @returns {Promise<any[]>} decoded events */
    events: (topic) => readAll(kafka, topic, decode),
    count: async (topic) => (await readAll(kafka, topic, async () => true)).length,
    lag: (group, topics) => withAdmin(kafka, (admin) => lagOf(admin, group, topics)),
    groups: () => withAdmin(kafka, async (admin) => (await admin.listGroups()).groups.map(({ groupId }) => groupId)),
  };
}

async function withAdmin(kafka, work) {
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

/** Records that a group has not committed yet. */
async function lagOf(admin, groupId, topics) {
  let lag = 0n;
  for (const { topic, partitions } of await admin.fetchOffsets({ groupId, topics })) {
    const ends = new Map((await admin.fetchTopicOffsets(topic)).map((end) => [end.partition, end]));
    for (const { partition, offset } of partitions) {
      const { high, low } = ends.get(partition) ?? { high: '0', low: '0' };
      lag += BigInt(high) - (offset === '-1' ? BigInt(low) : BigInt(offset));
    }
  }
  return Number(lag);
}

async function readAll(kafka, topic, decode) {
  const ends = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic));
  const waiting = new Map(ends.filter(({ high, low }) => high !== low).map((end) => [end.partition, BigInt(end.high)]));
  const events = [];
  if (waiting.size === 0) return events;
  const consumer = kafka.consumer({ groupId: `proof-${crypto.randomUUID()}`, maxWaitTimeInMs: 50 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise((resolve, reject) => {
    const eachBatch = async ({ batch }) => {
      for (const { value } of batch.messages) events.push(await decode(value));
      if (BigInt(batch.lastOffset()) + 1n >= (waiting.get(batch.partition) ?? 0n)) waiting.delete(batch.partition);
      if (waiting.size === 0) resolve(undefined);
    };
    consumer.on(consumer.events.CRASH, (event) => reject(event.payload.error));
    consumer.run({ autoCommit: false, eachBatch }).catch(reject);
  });
  await consumer.disconnect();
  return events;
}
