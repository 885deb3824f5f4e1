import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Admin } from 'kafkajs';
import { Registry } from 'prom-client';
import { createEventProducer, createSchemaRegistry, type EventProducer } from '../src/index.js';
import { createKafkajsClient } from '../src/kafkajs/client.js';
import { decodeFetchResponse } from '../src/kafkajs/fetch-response.js';
import { silentLogger } from '../src/logger.js';
import type { OutgoingRecord } from '../src/producer/send-port.js';
import { uniqueConfig } from './harness/environment.js';
import { readTopic } from './harness/read-topic.js';

const require = createRequire(import.meta.url);

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
    ['gzip', 1],
    ['snappy', 2],
    ['lz4', 3],
    ['zstd', 4],
  ] as const)('with %s is read as it was written', async (codec, number) => {
    const topic = `compressed-${codec}`;
    const name = `${config.topicPrefix}${topic}`;
    const configEntries = [{ name: 'compression.type', value: codec }];
    await admin.createTopics({ topics: [{ topic: name, numPartitions: 1, configEntries }], waitForLeaders: true });
    const sent = variedRecords();
    await Promise.all(sent.map((record) => producer.publishRaw(topic, record)));

    const codecs = watchCodecs();
    const read = await readTopic(config, topic, sent.length);
    expect([...codecs]).toEqual([number]);
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

interface FetchDefinition {
  protocol(choice: object): (request: object) => { response: object };
}

/** The codecs of the batches that are fetched from now on, by the bits of their attributes. */
function watchCodecs(): Set<number> {
  const { requests } = require('kafkajs/src/protocol/requests') as { requests: { Fetch: FetchDefinition } };
  const { protocol } = requests.Fetch;
  const codecs = new Set<number>();
  const decode = (bytes: Buffer): unknown => {
    const response = decodeFetchResponse(bytes);
    const messages = response.responses.flatMap(({ partitions }) => partitions.flatMap((each) => each.messages));
    for (const batch of messages) codecs.add(batch.bytes.readInt16BE(21) & 7);
    return response;
  };
  requests.Fetch.protocol = (choice) => (request) => {
    const message = protocol(choice)(request);
    return { ...message, response: { ...message.response, decode: (bytes: Buffer) => Promise.resolve(decode(bytes)) } };
  };
  return codecs;
}
