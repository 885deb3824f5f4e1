import kafkajs, { type Kafka } from 'kafkajs';
import type { KafkaConfig } from '../kafka-config.js';
import type { Logger } from '../logger.js';
import { createLogCreator } from './log-creator.js';
import { patchKafkajs } from './patches.js';

// With these nothing failed in an outage of 44 s, and work resumed 1–2 s after the broker was back; with the defaults the
// consumer crashes and sends fail.
const retry = { initialRetryTime: 200, maxRetryTime: 2_000, retries: 200, factor: 0.2, multiplier: 1.5 };

/** As many as take about two and a half seconds: for those who would rather know that nobody answers. */
export const fewRetries = 5;

/** A kafkajs client with our settings, patches and log. By default it bridges an outage of six minutes. */
export function createKafkajsClient(config: KafkaConfig, log: Logger, retries = retry.retries): Kafka {
  patchKafkajs();
  return new kafkajs.Kafka({
    brokers: [...config.brokers],
    clientId: config.clientId,
    connectionTimeout: 2_000,
    requestTimeout: 10_000,
    retry: { ...retry, retries },
    logCreator: createLogCreator(log),
  });
}
