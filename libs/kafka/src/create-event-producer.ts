import type { Registry } from 'prom-client';
import { systemClock } from './clock.js';
import type { KafkaConfig } from './kafka-config.js';
import { KafkajsSendPort } from './kafkajs/send-port.js';
import type { Logger } from './logger.js';
import { BatchingProducer, producerDefaults } from './producer/batching-producer.js';
import type { EventProducer } from './producer/event-producer.js';
import { createProducerMetrics } from './producer/producer-metrics.js';
import type { SchemaRegistry } from './registry/schema-registry.js';

export interface EventProducerOptions {
  readonly config: KafkaConfig;
  readonly registry: SchemaRegistry;
  readonly metrics: Registry;
  readonly log: Logger;
}

/** Makes a producer; it connects with its first record, or with `start`. Stop it. */
export function createEventProducer({ config, registry, metrics, log }: EventProducerOptions): EventProducer {
  return new BatchingProducer({
    config,
    registry,
    port: new KafkajsSendPort(config, log, systemClock),
    metrics: createProducerMetrics(metrics),
    settings: producerDefaults,
    clock: systemClock,
  });
}
