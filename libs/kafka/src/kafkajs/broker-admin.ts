import { setTimeout } from 'node:timers/promises';
import kafkajs, { type Admin } from 'kafkajs';
import type { TopicDefinition } from '@anabranch/contracts';
import type {
  BrokerAdmin,
  CommittedOffset,
  EndOffset,
  EnsuredTopics,
  TopicDescription,
} from '../admin/broker-admin.js';
import { deviationsOf, settingsOf } from '../admin/topic-rules.js';
import { topicNameOf, type KafkaConfig } from '../kafka-config.js';
import type { Logger } from '../logger.js';
import { createKafkajsClient, fewRetries } from './client.js';
import { asUnavailable } from './errors.js';

const shownConfigs = ['retention.ms', 'message.timestamp.type'];

/** The broker's administration over kafkajs; connects at the first call. */
export class KafkajsAdmin implements BrokerAdmin {
  private readonly admin: Admin;
  private connected: Promise<void> | undefined;

  constructor(
    private readonly config: KafkaConfig,
    log: Logger,
  ) {
    this.admin = createKafkajsClient(config, log, fewRetries).admin();
  }

  async ensureTopics(definitions: readonly TopicDefinition[]): Promise<EnsuredTopics> {
    const found = new Map(
      (await this.describeTopics(definitions.map(({ name }) => name))).map((topic) => [topic.name, topic]),
    );
    const missing = definitions.filter((definition) => !found.has(this.nameOf(definition.name)));
    if (missing.length > 0) await this.create(missing);
    const problems = definitions.flatMap((definition) => {
      const topic = found.get(this.nameOf(definition.name));
      return topic === undefined ? [] : deviationsOf(definition, topic);
    });
    return { created: missing.map(({ name }) => this.nameOf(name)), problems };
  }

  async describeTopics(topics: readonly string[]): Promise<TopicDescription[]> {
    const wanted = new Set(topics.map((topic) => this.nameOf(topic)));
    return this.ask(async (admin) => {
      const existing = (await admin.listTopics()).filter((name) => wanted.has(name));
      if (existing.length === 0) return [];
      const [metadata, configs] = await Promise.all([
        admin.fetchTopicMetadata({ topics: existing }),
        admin.describeConfigs({
          includeSynonyms: false,
          resources: existing.map((name) => ({
            type: kafkajs.ConfigResourceTypes.TOPIC,
            name,
            configNames: shownConfigs,
          })),
        }),
      ]);
      const configOf = new Map(
        configs.resources.map(({ resourceName, configEntries }) => [resourceName, configEntries]),
      );
      return metadata.topics.map(({ name, partitions }) => {
        const entries = new Map(configOf.get(name)?.map(({ configName, configValue }) => [configName, configValue]));
        return {
          name,
          partitions: partitions.length,
          retentionMs: Number(entries.get('retention.ms')),
          timestampType: entries.get('message.timestamp.type') ?? '',
        };
      });
    });
  }

  async committedOffsets(group: string, topics: readonly string[]): Promise<CommittedOffset[]> {
    return this.ask(async (admin) => {
      const offsets = await admin.fetchOffsets({ groupId: group, topics: topics.map((topic) => this.nameOf(topic)) });
      return offsets.flatMap(({ topic, partitions }) =>
        partitions
          .map(({ partition, offset, metadata }) => ({
            topic,
            partition,
            offset: Number(offset),
            metadata: metadata ?? '',
          }))
          .filter(({ offset }) => offset >= 0),
      );
    });
  }

  async endOffsets(topic: string): Promise<EndOffset[]> {
    const name = this.nameOf(topic);
    return this.ask(async (admin) => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [name] });
      const count = topics[0]?.partitions.length ?? 0;
      let offsets = await admin.fetchTopicOffsets(name);
      if (offsets.length < count) {
        await refreshMetadata(admin, name);
        offsets = await admin.fetchTopicOffsets(name);
      }
      return offsets.map(({ partition, low, high }) => ({
        topic: name,
        partition,
        low: Number(low),
        high: Number(high),
      }));
    });
  }

  async groupMembers(group: string): Promise<number> {
    return this.ask(async (admin) => {
      const { groups } = await admin.describeGroups([group]);
      return groups.reduce((sum, { members }) => sum + members.length, 0);
    });
  }

  async deleteTopics(topics: readonly string[]): Promise<void> {
    await this.ask((admin) => admin.deleteTopics({ topics: topics.map((topic) => this.nameOf(topic)) }));
  }

  async close(): Promise<void> {
    await this.admin.disconnect();
  }

  private async create(definitions: readonly TopicDefinition[]): Promise<void> {
    const topics = definitions.map((definition) => {
      const { partitions, config } = settingsOf(definition);
      const configEntries = Object.entries(config).map(([name, value]) => ({ name, value }));
      return { topic: this.nameOf(definition.name), numPartitions: partitions, configEntries };
    });
    await this.ask((admin) => admin.createTopics({ topics, waitForLeaders: false }));
    await this.ask((admin) => untilKnown(admin, new Set(topics.map(({ topic }) => topic))));
  }

  private async ask<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    try {
      await (this.connected ??= this.admin.connect());
      return await question(this.admin);
    } catch (error) {
      // Connecting again is harmless when it was not the connection that failed.
      this.connected = undefined;
      throw asUnavailable(error);
    }
  }

  private nameOf(topic: string): string {
    return topicNameOf(this.config, topic);
  }
}

const knownAfter = { tries: 100, everyMs: 100 };

/**
 * The controller's answer comes before the brokers know of the topics. kafkajs' own wait ends with an error when a broker
 * does not know one yet, so this asks for the list, in which they simply are not.
 */
async function untilKnown(admin: Admin, names: ReadonlySet<string>): Promise<void> {
  for (let tries = 0; tries < knownAfter.tries; tries++) {
    const known = new Set(await admin.listTopics());
    if ([...names].every((name) => known.has(name)))
      return void (await admin.fetchTopicMetadata({ topics: [...names] }));
    await setTimeout(knownAfter.everyMs);
  }
  throw new Error(`The topics ${[...names].join(', ')} were made, but the broker does not show them.`);
}

/** For five minutes kafkajs knows nothing of partitions that were added, unless a question makes it look, as this one does. */
async function refreshMetadata(admin: Admin, topic: string): Promise<void> {
  const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames: [...shownConfigs] }];
  await admin.describeConfigs({ includeSynonyms: false, resources });
}
