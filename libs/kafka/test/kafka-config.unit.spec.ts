import { describe, expect, it } from '@jest/globals';
import { consumerConfig, consumerSettingsOf, kafkaConfig, sessionTiming } from '../src/service-config.js';
import { consumerDefaults } from '../src/consumer/consumer-settings.js';
import { subjectNameOf, topicNameOf } from '../src/kafka-config.js';

describe('the settings of Kafka', () => {
  it('take a list of brokers and the registry’s address', () => {
    const settings = { kafkaBrokers: 'one:9092, two:9092,', registryUrl: 'http://registry:8081/apis/ccompat/v7' };
    expect(kafkaConfig.parse(settings)).toEqual({ ...settings, kafkaBrokers: ['one:9092', 'two:9092'] });
  });

  it.each([
    ['no broker', { kafkaBrokers: ' , ', registryUrl: 'http://registry' }],
    ['a broker without a port', { kafkaBrokers: 'one', registryUrl: 'http://registry' }],
    ['a registry that is no HTTP address', { kafkaBrokers: 'one:9092', registryUrl: 'registry:8081' }],
  ])('refuse %s', (_, settings) => {
    expect(kafkaConfig.safeParse(settings).success).toBe(false);
  });

  it('keep installations apart by a prefix', () => {
    expect(topicNameOf({}, 'document.ingested')).toBe('document.ingested');
    expect(topicNameOf({ topicPrefix: 'blue.' }, 'document.ingested')).toBe('blue.document.ingested');
    expect(subjectNameOf({ topicPrefix: 'blue.' }, 'document.ingested-value')).toBe('blue.document.ingested-value');
  });
});

describe('the settings of a group’s member', () => {
  it('are the consumer’s defaults unless they are given', () => {
    const { sessionTimeoutMs, heartbeatIntervalMs } = consumerDefaults;
    expect(consumerSettingsOf(consumerConfig.parse({}))).toEqual({ sessionTimeoutMs, heartbeatIntervalMs });
    const given = consumerConfig.parse({ kafkaSessionTimeoutMs: '3000', kafkaHeartbeatIntervalMs: '500' });
    expect(consumerSettingsOf(given)).toEqual({ sessionTimeoutMs: 3_000, heartbeatIntervalMs: 500 });
  });

  it('refuse a session below three heartbeats, naming both', () => {
    const schema = consumerConfig.refine(sessionTiming.isMet, sessionTiming.params);
    expect(schema.safeParse({ kafkaSessionTimeoutMs: '3000' }).success).toBe(true);
    expect(schema.safeParse({ kafkaSessionTimeoutMs: '2999' }).error?.issues).toMatchObject([
      { path: ['kafkaSessionTimeoutMs'], message: 'must be at least 3 × ANABRANCH_KAFKA_HEARTBEAT_INTERVAL_MS' },
    ]);
  });
});
