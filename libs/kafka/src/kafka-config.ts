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

/** A topic's name at the broker. */
export function topicNameOf(config: Pick<KafkaConfig, 'topicPrefix'>, topic: string): string {
  return `${config.topicPrefix ?? ''}${topic}`;
}

/** A subject's name in the registry. */
export function subjectNameOf(config: Pick<KafkaConfig, 'topicPrefix'>, subject: string): string {
  return `${config.topicPrefix ?? ''}${subject}`;
}
