import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { Registry } from 'prom-client';
import { systemClock } from '../src/clock.js';
import { topicNameOf } from '../src/kafka-config.js';
import { KafkajsSendPort } from '../src/kafkajs/send-port.js';
import { silentLogger } from '../src/logger.js';
import { BatchingProducer, producerDefaults } from '../src/producer/batching-producer.js';
import { createProducerMetrics } from '../src/producer/producer-metrics.js';
import { KafkaProxy, kafkaApis, type AnswerFate, type KafkaExchange } from './harness/kafka-proxy.js';
import { Platform } from './harness/platform.js';
import { readTopic } from './harness/read-topic.js';

const topic = 'document.ingested';
const partitions = 2;

describe('a producer whose responses are lost after the append', () => {
  let platform: Platform;
  let proxy: KafkaProxy | undefined;

  beforeAll(async () => {
    platform = await Platform.start({ partitions });
  });
  afterEach(() => proxy?.close());
  afterAll(() => platform.close());

  it('has in the log, in order, every record that was acknowledged', async () => {
    const cut = fateOf((number) => (number % 3 === 0 ? 'is cut off' : 'comes'));
    const names = await publish('cut', 100, cut.judge);
    expect(cut.count()).toBeGreaterThanOrEqual(20);
    await expectInLog(names, { repeated: cut.count() });
  }, 60_000);

  it('has them also when the connection stays, and only the answer never comes', async () => {
    const silent = fateOf((number) => (number === 3 ? 'never comes' : 'comes'));
    const names = await publish('silent', 6, silent.judge);
    expect(silent.count()).toBe(1);
    await expectInLog(names, { repeated: 1 });
  }, 60_000);

  it('would miss one with the idempotent producer of kafkajs, which is why that is not used', async () => {
    const cut = fateOf((number) => (number <= 2 ? 'is cut off' : 'comes'));
    const { brokers } = await configThrough(cut.judge);
    const client = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
    const producer = client.producer({ idempotent: true, maxInFlightRequests: 1, retry: { retries: 1 } });
    await producer.connect();
    const send = (value: string) =>
      producer.send({ topic: topicNameOf(platform.config, topic), messages: [{ partition: 0, value }] });
    await expect(send('lost response')).rejects.toThrow('Closed connection');
    await expect(send('acknowledged')).resolves.toMatchObject([{ errorCode: 0 }]);
    await producer.disconnect();
    expect(cut.count()).toBe(2);
    const texts = (await wholeLog()).map(({ value }) => String(value));
    expect(texts).toContain('lost response');
    expect(texts).not.toContain('acknowledged');
  }, 60_000);

  /** One record per batch, so that each meets its own fate; all of them have to be acknowledged in the end. */
  async function publish(prefix: string, count: number, judge: (exchange: KafkaExchange) => AnswerFate) {
    const config = await configThrough(judge);
    const producer = new BatchingProducer({
      config,
      registry: platform.registry,
      port: new KafkajsSendPort(config, silentLogger, systemClock),
      metrics: createProducerMetrics(new Registry()),
      settings: { ...producerDefaults, batch: { maxRecords: 1, maxBytes: 1_000_000 } },
      clock: systemClock,
    });
    const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
    await Promise.all(
      names.map((name, index) =>
        producer.publishRaw(topic, { key: null, value: Buffer.from(name), headers: [], partition: laneOf(index) }),
      ),
    );
    await producer.stop();
    return names;
  }

  async function configThrough(judge: (exchange: KafkaExchange) => AnswerFate) {
    proxy = await KafkaProxy.start(platform.config.brokers[0] ?? '', judge);
    return { ...platform.config, brokers: [proxy.address] };
  }

  /** What another client reads: without repetitions no response was lost after the append, and nothing was shown. */
  async function expectInLog(names: readonly string[], { repeated }: { repeated: number }): Promise<void> {
    const own = (await wholeLog()).filter(({ value }) => names.includes(String(value)));
    expect(own.length).toBeGreaterThanOrEqual(names.length + repeated);
    for (let partition = 0; partition < partitions; partition++) {
      const texts = own.filter((record) => record.partition === partition).map(({ value }) => String(value));
      const inOrder = texts.filter((text, index) => text !== texts[index - 1]);
      expect(inOrder).toEqual(names.filter((_, index) => laneOf(index) === partition));
    }
  }

  async function wholeLog() {
    const ends = await platform.admin.endOffsets(topic);
    const count = ends.reduce((sum, { high }) => sum + high, 0);
    return readTopic(platform.config, topic, count);
  }
});

function laneOf(index: number): number {
  return index % partitions;
}

/** Decides about the answers to produce requests by their number, and counts those that were lost. */
function fateOf(decide: (number: number) => AnswerFate) {
  let number = 0;
  let lost = 0;
  const judge = ({ apiKey }: KafkaExchange): AnswerFate => {
    const fate = apiKey === kafkaApis.produce ? decide(++number) : 'comes';
    if (fate !== 'comes') lost++;
    return fate;
  };
  return { judge, count: () => lost };
}
