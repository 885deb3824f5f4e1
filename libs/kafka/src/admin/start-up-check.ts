import { topics, type TopicDefinition } from '@anabranch/contracts';
import { StopService } from '@anabranch/failures';
import { topicNameOf, type KafkaConfig } from '../kafka-config.js';
import { remedy } from '../remedy.js';
import type { KafkaAdmin } from './create-admin.js';
import type { TopicDescription } from './broker-admin.js';
import { deviationsOf, outlivesRetention } from './topic-rules.js';

/** What a consumer needs to be there. */
export interface StartUpNeeds {
  /** Of those that are not among the contracts, only that they exist is known to be needed. */
  readonly names: readonly string[];
  /** Those that must have the same number of partitions. */
  readonly coPartitioned?: readonly string[];
  /** How long a record may be retried in place. */
  readonly retryMaxAgeMs?: number;
}

/**
 * Checks that topics and schemas are there. Returns how topics differ from their definitions, one sentence each: that is
 * worth a warning, and no reason to stand still.
 * @throws StopService with everything that is missing and the command that makes it, or when records could be removed
 * while they are retried; DependencyUnavailable
 */
export async function startUpCheck(
  admin: Pick<KafkaAdmin, 'describeTopics' | 'missingSchemas'>,
  config: Pick<KafkaConfig, 'brokers' | 'registryUrl' | 'topicPrefix'>,
  { names, coPartitioned = [], retryMaxAgeMs = 0 }: StartUpNeeds,
): Promise<string[]> {
  const definitions = names.flatMap((name) => definitionOf(name) ?? []);
  const [found, unregistered] = await Promise.all([admin.describeTopics(names), admin.missingSchemas(definitions)]);
  const byName = new Map(found.map((topic) => [topic.name, topic]));
  const missing = names.map((name) => topicNameOf(config, name)).filter((name) => !byName.has(name));
  if (missing.length + unregistered.length > 0) {
    const lines = [
      `Kafka at ${config.brokers.join(',')} or the registry at ${config.registryUrl} is not set up for this service:`,
      ...missing.map((name) => `- the topic ${name} does not exist`),
      ...unregistered.map((subject) => `- the registry lacks the newest version of ${subject}`),
      remedy,
    ];
    throw new StopService(lines.join('\n'), { code: 'CONFIGURATION' });
  }
  checkPartitions(found.filter(({ name }) => coPartitioned.some((topic) => topicNameOf(config, topic) === name)));
  const shortLived = found.filter((topic) => outlivesRetention(retryMaxAgeMs, topic));
  if (shortLived.length > 0) {
    const lines = shortLived.map(({ name, retentionMs }) => `retention.ms (${retentionMs}) of ${name}`);
    throw new StopService(
      `settings.retry.maxAgeMs (${retryMaxAgeMs}) must be below half of ${lines.join(' and of ')}, or records could be removed while they wait.`,
      { code: 'CONFIGURATION' },
    );
  }
  return definitions.flatMap((definition) => {
    const topic = byName.get(topicNameOf(config, definition.name));
    return topic === undefined ? [] : deviationsOf(definition, topic);
  });
}

function definitionOf(name: string): TopicDefinition | undefined {
  return Object.hasOwn(topics, name) ? topics[name as keyof typeof topics] : undefined;
}

function checkPartitions(coPartitioned: readonly TopicDescription[]): void {
  if (new Set(coPartitioned.map(({ partitions }) => partitions)).size <= 1) return;
  const counts = coPartitioned.map(({ name, partitions }) => `${name} has ${partitions}`).join(', ');
  throw new StopService(
    `settings.coPartitioned needs topics with the same number of partitions, but ${counts}. Add partitions to the smaller ones (kafka-topics.sh --alter --partitions), or make the topics anew.`,
    { code: 'CONFIGURATION' },
  );
}
