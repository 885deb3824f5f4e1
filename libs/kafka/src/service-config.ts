import { z } from 'zod';
import { consumerDefaults, heartbeatsPerSession, type ConsumerSettings } from './consumer/consumer-settings.js';

// Apart from the rest, so that a consumer that is not a service starts without loading zod.

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
