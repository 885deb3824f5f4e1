import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import kafkajs, { type Admin } from 'kafkajs';
import { Registry } from 'prom-client';
import { createEventProducer, createSchemaRegistry, type EventProducer } from '../src/index.js';
import { createKafkajsClient } from '../src/kafkajs/client.js';
import { silentLogger } from '../src/logger.js';
import type { OutgoingRecord } from '../src/producer/send-port.js';
import { uniqueConfig } from './harness/environment.js';
import { readTopic } from './harness/read-topic.js';

const { CompressionCodecs: codecs, CompressionTypes: types } = kafkajs;

// The broker compresses what it stores with the codec of the topic: real output of the Java implementations.
describe('a topic that is compressed', () => {
  const config = uniqueConfig();
  let admin: Admin;
  let producer: EventProducer;

  beforeAll(async () => {
    admin = createKafkajsClient(config, silentLogger).admin();
    await admin.connect();
    const registry = createSchemaRegistry({ config });
    producer = createEventProducer({ config, registry, metrics: new Registry(), log: silentLogger });
  });
  afterAll(async () => {
    await producer.stop();
    await admin.disconnect();
  });

  it.each([
    ['gzip', types.GZIP],
    ['snappy', types.Snappy],
    ['lz4', types.LZ4],
    ['zstd', types.ZSTD],
  ] as const)('with %s is read as it was written', async (codec, type) => {
    const topic = `compressed-${codec}`;
    const name = `${config.topicPrefix}${topic}`;
    const configEntries = [{ name: 'compression.type', value: codec }];
    await admin.createTopics({ topics: [{ topic: name, numPartitions: 1, configEntries }], waitForLeaders: true });
    const sent = variedRecords();
    await Promise.all(sent.map((record) => producer.publishRaw(topic, record)));

    const uses = countUses(type);
    const read = await readTopic(config, topic, sent.length);
    expect(uses()).toBeGreaterThan(0);
    expect(read.map(contentOf)).toEqual(sent.map(contentOf));
    await admin.deleteTopics({ topics: [name] });
  });
});

/** Short and long, repetitive and random, so that every kind of literal and match occurs. */
function variedRecords(): OutgoingRecord[] {
  const repetitive = Array.from(
    { length: 200 },
    (_, index) => `{"documentId":"document-${index}","text":"${'la'.repeat(index)}"}`,
  );
  const values = [
    Buffer.alloc(0),
    Buffer.alloc(70_000, 'x'),
    randomBytes(70_000),
    ...repetitive.map((text) => Buffer.from(text)),
  ];
  return values.map((value) => ({ key: Buffer.from('key'), value, headers: [['header', value.subarray(0, 5)]] }));
}

function contentOf({ key, value, headers }: OutgoingRecord): unknown {
  return [
    String(key),
    value?.toString('base64'),
    headers.map(([name, content]) => [name, content?.toString('base64')]),
  ];
}

function countUses(type: keyof typeof codecs): () => number {
  const original = codecs[type];
  let uses = 0;
  codecs[type] = () => {
    uses++;
    return original();
  };
  return () => uses;
}
