import { z } from 'zod';
import { consumerDefaults, heartbeatsPerSession, type ConsumerSettings } from './consumer/consumer-settings.js';

/** Where Kafka and the schema registry are, and who asks. */
export interface KafkaConfig {
  /** `host:port` of one or more brokers. */
  readonly brokers: readonly string[];
  /** Base URL of a registry with Confluent's API. */
  readonly registryUrl: string;
  /** Shown in the broker's logs and quotas; the service's name. */
  readonly clientId: string;
  /** Stands before every topic and subject: several installations share one cluster. Empty unless given. */
  readonly topicPrefix?: string;
}

/** The settings of a service that uses Kafka, for its configuration schema. */
export const kafkaConfig = z.object({
  kafkaBrokers: z
    .string()
    .transform((list) =>
      list
        .split(',')
        .map((broker) => broker.trim())
        .filter((broker) => broker !== ''),
    )
    .pipe(z.array(z.string().regex(/^\S+:\d+$/, 'is not host:port')).min(1))
    .describe('the brokers, as host:port, separated by commas'),
  registryUrl: z.url({ protocol: /^https?$/ }).describe('the base URL of the schema registry (Confluent API)'),
});

/** The settings of a service that is a member of a consumer group, for its configuration schema. */
export const consumerConfig = z.object({
  kafkaSessionTimeoutMs: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(300_000)
    .default(consumerDefaults.sessionTimeoutMs)
    .describe(
      'the milliseconds without a heartbeat after which a process loses its partitions; at least 3 × ANABRANCH_KAFKA_HEARTBEAT_INTERVAL_MS',
    ),
  kafkaHeartbeatIntervalMs: z.coerce
    .number()
    .int()
    .min(100)
    .max(100_000)
    .default(consumerDefaults.heartbeatIntervalMs)
    .describe('the milliseconds between heartbeats; at most a third of ANABRANCH_KAFKA_SESSION_TIMEOUT_MS'),
});

/** The rule over both of `consumerConfig`, for a schema that has them. */
export const sessionTiming = {
  isMet: ({ kafkaSessionTimeoutMs, kafkaHeartbeatIntervalMs }: z.infer<typeof consumerConfig>): boolean =>
    kafkaSessionTimeoutMs >= heartbeatsPerSession * kafkaHeartbeatIntervalMs,
  params: {
    path: ['kafkaSessionTimeoutMs'],
    message: `must be at least ${heartbeatsPerSession} × ANABRANCH_KAFKA_HEARTBEAT_INTERVAL_MS`,
  },
};

/** The consumer's settings that a service's configuration decides about. */
export function consumerSettingsOf(
  config: z.infer<typeof consumerConfig>,
): Pick<ConsumerSettings, 'sessionTimeoutMs' | 'heartbeatIntervalMs'> {
  return { sessionTimeoutMs: config.kafkaSessionTimeoutMs, heartbeatIntervalMs: config.kafkaHeartbeatIntervalMs };
}

/** A topic's name at the broker. */
export function topicNameOf(config: Pick<KafkaConfig, 'topicPrefix'>, topic: string): string {
  return `${config.topicPrefix ?? ''}${topic}`;
}

/** A subject's name in the registry. */
export function subjectNameOf(config: Pick<KafkaConfig, 'topicPrefix'>, subject: string): string {
  return `${config.topicPrefix ?? ''}${subject}`;
}
