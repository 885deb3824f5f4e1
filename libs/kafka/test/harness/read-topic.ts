import { randomUUID } from 'node:crypto';
import type { BrokerRecord } from '../../src/broker-port.js';
import { systemClock } from '../../src/clock.js';
import { topicNameOf, type KafkaConfig } from '../../src/kafka-config.js';
import { KafkajsBroker } from '../../src/kafkajs/broker-port.js';
import { silentLogger } from '../../src/logger.js';

/** The first `count` records of a topic, as they lie in the log. */
export async function readTopic(config: KafkaConfig, topic: string, count: number): Promise<BrokerRecord[]> {
  const records: BrokerRecord[] = [];
  const complete = Promise.withResolvers<void>();
  const broker = new KafkajsBroker({
    config,
    group: `spec-reader-${randomUUID()}`,
    topics: [topicNameOf(config, topic)],
    sessionTimeoutMs: 6_000,
    heartbeatIntervalMs: 1_000,
    clock: systemClock,
    log: silentLogger,
  });
  await broker.start({
    onAssigned: () => {},
    onPositions: () => {},
    onRevoking: () => {},
    onLost: () => {},
    onFatal: complete.reject,
    onBatch: (batch) => {
      records.push(...batch.records);
      if (records.length >= count) complete.resolve();
    },
  });
  await complete.promise;
  await broker.stop(2_000);
  return records;
}
