import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PoisonMessage } from '@anabranch/failures';
import { eventually } from '@anabranch/test-support';
import kafkajs from 'kafkajs';
import type { BrokerRecord, RecordHeader } from '../src/broker-port.js';
import { topicNameOf } from '../src/kafka-config.js';
import { Platform } from './harness/platform.js';
import { readTopic } from './harness/read-topic.js';

const topic = 'document.ingested';
const key = Buffer.from([0, 255, 1, 254, 128]);
const headers: RecordHeader[] = [
  ['{"looks": "like JSON"}', Buffer.from('a name that begins with a brace')],
  ['json', Buffer.from('{"not": "parsed"}')],
  ['repeated', Buffer.from('1')],
  ['other', Buffer.from([0, 255, 128])],
  ['repeated', Buffer.from('2')],
  ['42', Buffer.alloc(0)],
  ['repeated', Buffer.from('1')],
  ['none', null],
];

describe('a record with a binary key and awkward headers', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start({ partitions: 1 });
  });
  afterAll(() => platform.close());

  it('reaches its handler, and then the dead letters, byte for byte and in order', async () => {
    const seen: BrokerRecord[] = [];
    const group = platform.uniqueGroup();
    const consumer = platform.consumer({
      group,
      topics: {
        [topic]: {
          handler: (record) => {
            seen.push(record);
            return Promise.reject(new PoisonMessage('REVISION_CONFLICT', 'Another content was accepted.'));
          },
        },
      },
    });
    const value = await platform.encoded('document', 'text');
    await platform.producer.publishRaw(topic, { key, value, headers });
    await consumer.start();
    await eventually(() => platform.hasNoLag(group));
    expect(seen).toMatchObject([{ key, value, headers }]);
    const [letter] = await readTopic(platform.config, 'dead-letters', 1);
    expect(letter).toMatchObject({ key, value });
    expect(letter?.headers.slice(0, headers.length)).toEqual(headers);
    expect(letter?.headers.length).toBeGreaterThan(headers.length);
  });

  it('is written as another client writes and reads it', async () => {
    await platform.producer.publishRaw(topic, { key, value: Buffer.from('own'), headers });
    const client = new kafkajs.Kafka({ brokers: [...platform.config.brokers], logLevel: kafkajs.logLevel.NOTHING });
    const producer = client.producer();
    await producer.connect();
    const foreign = {
      key,
      value: Buffer.from('value'),
      headers: { repeated: ['1', Buffer.from([255])], '{': 'brace' },
    };
    await producer.send({ topic: topicNameOf(platform.config, topic), messages: [foreign] });
    await producer.disconnect();
    const [end] = await platform.admin.endOffsets(topic);
    const [own, read] = (await readTopic(platform.config, topic, end?.high ?? 0)).slice(-2);
    expect(own).toMatchObject({ key, value: Buffer.from('own'), headers });
    expect(read).toMatchObject({ key, value: foreign.value });
    expect(read?.headers).toEqual([
      ['repeated', Buffer.from('1')],
      ['repeated', Buffer.from([255])],
      ['{', Buffer.from('brace')],
    ]);
  });
});
