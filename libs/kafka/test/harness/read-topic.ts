import type { BrokerRecord } from '../../src/broker-port.js';
import { topicNameOf, type KafkaConfig } from '../../src/kafka-config.js';
import { TopicReader } from './topic-reader.js';

/** The first `count` records of a topic, as they lie in the log. */
export async function readTopic(config: KafkaConfig, topic: string, count: number): Promise<BrokerRecord[]> {
  const reader = await TopicReader.start(config, [topicNameOf(config, topic)]);
  await reader.count(count);
  await reader.stop();
  return reader.records;
}
