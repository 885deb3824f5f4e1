// The process that makes topics and fills them: what it costs counts for nobody.
import { setTimeout as delay } from 'node:timers/promises';
import { topics } from '@anabranch/contracts';
import { createAdmin, createEventProducer, createSchemaRegistry } from '@anabranch/kafka';
import { Registry } from 'prom-client';
import { answer } from './child.mjs';
import { quiet } from './quiet.mjs';
import { nameOfKey } from './tally.mjs';

const topic = 'document.ingested';
/** So many sends wait for the broker at a time. */
const window = 5_000;

function producerOf(config) {
  return createEventProducer({
    config,
    registry: createSchemaRegistry({ config }),
    metrics: new Registry(),
    log: quiet,
  });
}

function documentOf(key, { text = '', textBytes = 100 } = {}) {
  const documentId = nameOfKey(key);
  const body = text === '' ? 'x'.repeat(textBytes) : text;
  return { tenantId: 'bench', documentId, revision: 1, occurredAt: Date.now(), text: body };
}

/** Makes the topics of one cell, with their schemas. */
async function create({ config, partitions }) {
  const admin = createAdmin(config);
  const definitions = [topics[topic], topics['dead-letters']].map((definition) => ({ ...definition, partitions }));
  await admin.registerSchemas(definitions);
  await admin.ensureTopics(definitions);
  await admin.close();
}

/** Fills the topic: keys take turns, so each has its share of the records; the hot ones, if any, come more often. */
async function fill({ config, records, keys, textBytes, hotKeys = [] }) {
  const producer = producerOf(config);
  const sent = [];
  const publish = async (key) => {
    sent.push(producer.publish(topic, documentOf(key, { textBytes })));
    if (sent.length >= window) await Promise.all(sent.splice(0));
  };
  for (let number = 0; number < records; number++) await publish(number % keys);
  for (const { key, records: more } of hotKeys) for (let number = 0; number < more; number++) await publish(key);
  await Promise.all(sent);
  await producer.stop();
}

/** Sends single records to a topic at rest; each says when it was sent, by a clock that all processes share. */
async function feedSlowly({ config, records, keys, everyMs }) {
  const producer = producerOf(config);
  await producer.start([topic]);
  for (let number = 0; number < records; number++) {
    await producer.publish(topic, documentOf(number % keys, { text: String(process.hrtime.bigint()) }));
    // Not in step with anybody's timer.
    await delay(everyMs * (0.5 + Math.random()));
  }
  await producer.stop();
}

let steady;

/** Feeds every key all the time, until it is told to stop. */
async function startSteady({ config, keys, everyMs }) {
  const producer = producerOf(config);
  await producer.start([topic]);
  const sent = [];
  const feed = () => {
    for (let key = 0; key < keys; key++) sent.push(producer.publish(topic, documentOf(key)));
  };
  steady = { producer, sent, timer: setInterval(feed, everyMs) };
}

/** @returns how many records were published */
async function stopSteady() {
  clearInterval(steady.timer);
  await Promise.all(steady.sent);
  await steady.producer.stop();
  return steady.sent.length;
}

/** How many records the group says it has done: the sum of its committed offsets. */
async function committed({ config, group }) {
  const admin = createAdmin(config);
  const offsets = await admin.committedOffsets(group, [topic]);
  await admin.close();
  return offsets.reduce((sum, { offset }) => sum + Math.max(0, offset), 0);
}

answer({ create, fill, committed, feedSlowly, startSteady, stopSteady });
