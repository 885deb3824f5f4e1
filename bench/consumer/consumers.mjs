// The consumers that are measured: the runtime, and kafkajs alone with the same settings, as the baseline.
import { createDecoder, readHeader } from '@anabranch/contracts';
import { createConsumer, createSchemaRegistry } from '@anabranch/kafka';
import kafkajs from 'kafkajs';
import { Registry } from 'prom-client';
import { systemClock } from '../../libs/kafka/dist/clock.js';
import { createConsumerMetrics } from '../../libs/kafka/dist/consumer/consumer-metrics.js';
import { ConsumerRuntime } from '../../libs/kafka/dist/consumer/consumer-runtime.js';
import { resolveSettings } from '../../libs/kafka/dist/consumer/consumer-settings.js';
import { KafkajsBroker } from '../../libs/kafka/dist/kafkajs/broker-port.js';
import { quiet } from './quiet.mjs';
import { keyNumberOf } from './tally.mjs';

const topic = 'document.ingested';
const unexpected = (error) => {
  throw error;
};

/** As the runtime's adapter has them. */
const fetching = { maxWaitTimeInMs: 250, minBytes: 1, maxBytesPerPartition: 512 * 1024, metadataMaxAge: 30_000 };
const session = { sessionTimeout: 6_000, heartbeatInterval: 1_000 };

/** A handler of decoded records that counts, and waits if there is something to wait for. */
function countingHandler({ tally, work }) {
  if (work === undefined) {
    return async ({ event, offset }) => {
      const key = keyNumberOf(event.documentId);
      tally.start(key, offset);
      tally.end(key);
    };
  }
  return async ({ event, offset }) => {
    const key = keyNumberOf(event.documentId);
    tally.start(key, offset);
    await work(event);
    tally.end(key);
  };
}

/** The runtime as its users have it, without Nest: decoding, metrics and all. */
export async function startRuntime({ config, group, settings, tally, work }) {
  const consumer = createConsumer({
    config,
    group,
    settings,
    registry: createSchemaRegistry({ config }),
    producer: { publishRaw: () => Promise.reject(new Error('no record of a bench is a dead letter')) },
    topics: { [topic]: { handler: countingHandler({ tally, work }) } },
    onFatal: unexpected,
    metrics: new Registry(),
    log: quiet,
  });
  await consumer.start();
  return { stop: () => consumer.stop(10_000) };
}

/** The same runtime, ordered by the records' own keys: values stay bytes. */
export async function startUndecodedRuntime({ config, group, settings: given, tally }) {
  const settings = resolveSettings(given);
  const names = [`${config.topicPrefix}${topic}`];
  const runtime = new ConsumerRuntime({
    group,
    settings,
    decode: (record) => ({ event: undefined, key: `${record.topic}/${record.key.latin1Slice()}` }),
    handlerOf: () => async (record) => {
      const key = keyNumberOf(record.key.latin1Slice());
      tally.start(key, record.offset);
      tally.end(key);
    },
    broker: new KafkajsBroker({ ...settings, config, group, topics: names, clock: systemClock, log: quiet }),
    sendDeadLetter: () => Promise.reject(new Error('no record of a bench is a dead letter')),
    onFatal: unexpected,
    metrics: createConsumerMetrics(new Registry()),
    random: Math.random,
    clock: systemClock,
    log: quiet,
  });
  await runtime.start();
  return { stop: () => runtime.stop(10_000) };
}

async function startKafkajs({ config: { brokers, clientId, topicPrefix }, group }, run) {
  const client = new kafkajs.Kafka({ brokers, clientId, logLevel: kafkajs.logLevel.NOTHING });
  const consumer = client.consumer({ groupId: group, ...session, ...fetching });
  await consumer.connect();
  await consumer.subscribe({ topics: [`${topicPrefix}${topic}`], fromBeginning: true });
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
  await consumer.run({ autoCommitInterval: 250, ...run });
  await joined;
  return { stop: () => consumer.disconnect() };
}

/** Our adapter of kafkajs with a loop over the records: what is left is the runtime's own share. */
export async function startAdapter({ config, group, settings: given, tally }) {
  const settings = resolveSettings(given);
  const decode = await decoderOf(config);
  const names = [`${config.topicPrefix}${topic}`];
  const broker = new KafkajsBroker({ ...settings, config, group, topics: names, clock: systemClock, log: quiet });
  const ends = new Map();
  const commit = () => broker.commit([...ends.values()]).catch(unexpected);
  const onBatch = ({ topic, partition, records, lastOffset }) => {
    for (const { value, offset } of records) {
      const key = keyNumberOf(decode(value).documentId);
      tally.start(key, offset);
      tally.end(key);
    }
    ends.set(partition, { topic, partition, offset: lastOffset + 1 });
  };
  const nothing = () => {};
  await broker.start({
    onBatch,
    onAssigned: nothing,
    onPositions: nothing,
    onRevoking: nothing,
    onLost: nothing,
    onFatal: unexpected,
  });
  const timer = setInterval(() => void commit(), 250);
  return {
    async stop() {
      clearInterval(timer);
      await commit();
      await broker.stop(10_000);
    },
  };
}

/** Decodes as the runtime does. Fetches the one schema beforehand. */
async function decoderOf(config) {
  const registry = createSchemaRegistry({ config });
  const writerId = await registry.idOf(topic);
  const writerSchema = await registry.writerSchema(writerId);
  const decoder = createDecoder(topic);
  return (value) => {
    const { schemaId, body } = readHeader(value);
    return decoder.decode(schemaId, writerSchema, body);
  };
}

/** `eachBatch` with a loop over the messages: the least that one can do. */
export async function startEachBatch({ config, group, tally, decodes = true, onEvent }) {
  const decode = decodes ? await decoderOf(config) : undefined;
  const keyOf = (message, event) => keyNumberOf(event?.documentId ?? message.key.latin1Slice());
  return startKafkajs(
    { config, group },
    {
      eachBatch: async ({ batch }) => {
        for (const message of batch.messages) {
          const event = decode?.(message.value);
          const key = keyOf(message, event);
          tally.start(key, Number(message.offset));
          onEvent?.(event);
          tally.end(key);
        }
      },
    },
  );
}

/** No consumer at all: as many handlers at a time, of records that are numbers. What is left of a handler's cost is its own. */
export async function startCalls({ records, settings: { maxInFlight }, tally, work }) {
  let next = 0;
  const callOn = async () => {
    while (next < records) {
      const key = next++;
      tally.start(key, 0);
      await work();
      tally.end(key);
    }
  };
  for (let number = 0; number < maxInFlight; number++) {
    void callOn();
    // As the runtime does: I/O has its turn.
    if (number % 50 === 49) await new Promise((resolve) => setImmediate(resolve));
  }
  return { stop: async () => {} };
}

/** `eachMessage`, all partitions side by side: what most services do. */
export async function startEachMessage({ config, group, tally, work, partitions }) {
  const decode = await decoderOf(config);
  const handler = countingHandler({ tally, work });
  return startKafkajs(
    { config, group },
    {
      partitionsConsumedConcurrently: partitions,
      eachMessage: ({ message }) => handler({ event: decode(message.value), offset: Number(message.offset) }),
    },
  );
}
