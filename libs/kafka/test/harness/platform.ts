import { randomUUID } from 'node:crypto';
import {
  encodeValue,
  topics,
  type DocumentIngestedInput,
  type EventTopic,
  type TopicDefinition,
} from '@anabranch/contracts';
import type { StopService } from '@anabranch/failures';
import { eventually } from '@anabranch/test-support';
import kafkajs from 'kafkajs';
import { Registry } from 'prom-client';
import {
  createAdmin,
  createConsumer,
  createEventProducer,
  createSchemaRegistry,
  type Consumer,
  type ConsumerOptions,
  type EventProducer,
  type KafkaAdmin,
  type KafkaConfig,
  type SchemaRegistry,
} from '../../src/index.js';
import { decodeStretches } from '../../src/consumer/finished-stretches.js';
import { topicNameOf } from '../../src/kafka-config.js';
import { CollectedLog } from './collected-log.js';
import { uniqueConfig } from './environment.js';

/** Real Kafka and registry with topics of its own; everything that is made here is closed by `close`. */
export class Platform {
  readonly log = new CollectedLog();
  readonly fatal: StopService[] = [];
  private readonly consumers: Consumer[] = [];

  private constructor(
    readonly config: KafkaConfig,
    readonly admin: KafkaAdmin,
    readonly registry: SchemaRegistry,
    readonly producer: EventProducer,
  ) {}

  /** Makes `document.ingested`, `dead-letters` and `document.enriched`, with so many partitions. */
  static async start({ partitions = 1, brokers }: { partitions?: number; brokers?: string[] } = {}): Promise<Platform> {
    const config = { ...uniqueConfig(), ...(brokers && { brokers }) };
    const admin = createAdmin(config);
    const definitions = [topics['document.ingested'], topics['dead-letters'], topics['document.enriched']].map(
      (definition): TopicDefinition => ({ ...definition, partitions }),
    );
    await admin.registerSchemas(definitions);
    await admin.ensureTopics(definitions);
    const registry = createSchemaRegistry({ config });
    const log = new CollectedLog();
    const producer = createEventProducer({ config, registry, metrics: new Registry(), log });
    return new Platform(config, admin, registry, producer);
  }

  uniqueGroup(): string {
    return `spec-${randomUUID().slice(0, 8)}`;
  }

  /** A consumer of this platform that is not started. */
  consumer<T extends EventTopic>(
    options: Pick<ConsumerOptions<T>, 'group' | 'topics'> & Partial<ConsumerOptions<T>>,
  ): Consumer {
    const consumer = createConsumer<T>({
      config: this.config,
      registry: this.registry,
      producer: this.producer,
      metrics: new Registry(),
      log: this.log,
      onFatal: (error) => this.fatal.push(error),
      ...options,
    });
    this.consumers.push(consumer);
    return consumer;
  }

  /** Publishes a document; the text is what the spec tells documents apart by. */
  async publish(documentId: string, text: string, input: Partial<DocumentIngestedInput> = {}): Promise<void> {
    await this.producer.publish('document.ingested', documentOf(documentId, text, input));
  }

  /** The largest batch that the broker takes for this topic, in force when this resolves. */
  async limitBatches(topic: string, maxBytes: number): Promise<void> {
    const client = new kafkajs.Kafka({ brokers: [...this.config.brokers], logLevel: kafkajs.logLevel.NOTHING });
    const [admin, producer] = [client.admin(), client.producer()];
    await Promise.all([admin.connect(), producer.connect()]);
    const configEntries = [{ name: 'max.message.bytes', value: String(maxBytes) }];
    const name = topicNameOf(this.config, topic);
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name, configEntries }],
    });
    // The broker answers before it applies this, and applies it to one partition after the other.
    const written = new Set<number>();
    const { topics: found } = await eventually(() => admin.fetchTopicMetadata({ topics: [name] }));
    for (const { partitionId: partition } of found.flatMap(({ partitions }) => partitions)) {
      await eventually(async () => {
        const isTaken = await isTakenBy(producer, { topic: name, partition, value: Buffer.alloc(maxBytes + 1) });
        if (isTaken) written.add(partition);
        return !isTaken;
      });
    }
    const toRemove = [...written].map((partition) => ({ partition, offset: '-1' }));
    if (toRemove.length > 0) await admin.deleteTopicRecords({ topic: name, partitions: toRemove });
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  }

  /** The bytes of a good event. */
  async encoded(documentId: string, text: string): Promise<Buffer> {
    return encodeValue(
      'document.ingested',
      documentOf(documentId, text),
      await this.registry.idOf('document.ingested'),
    );
  }

  /** The group's committed offset per partition of `document.ingested`, as the broker has it. */
  async committed(group: string): Promise<Map<number, number>> {
    const offsets = await this.admin.committedOffsets(group, ['document.ingested']);
    return new Map(offsets.map(({ partition, offset }) => [partition, offset]));
  }

  /** The committed offset of one partition, and how many records its metadata names as finished above it. */
  async progress(group: string, partition = 0): Promise<{ offset: number; finishedAbove: number }> {
    const offsets = await this.admin.committedOffsets(group, ['document.ingested']);
    const { offset = 0, metadata } = offsets.find((found) => found.partition === partition) ?? {};
    const stretches = decodeStretches(offset, metadata);
    return { offset, finishedAbove: stretches.reduce((sum, { begin, end }) => sum + end - begin, 0) };
  }

  /** Whether the group has committed all that is in `document.ingested` now. */
  async hasNoLag(group: string): Promise<boolean> {
    const [ends, committed] = await Promise.all([this.admin.endOffsets('document.ingested'), this.committed(group)]);
    return ends.every(({ partition, high }) => (committed.get(partition) ?? 0) === high);
  }

  async close(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.stop(4_000)));
    await this.producer.stop();
    await this.admin.deleteTopics(['document.ingested', 'dead-letters', 'document.enriched']);
    await this.admin.close();
  }
}

/** False when the broker finds it too large. */
async function isTakenBy(
  producer: kafkajs.Producer,
  { topic, partition, value }: { topic: string; partition: number; value: Buffer },
): Promise<boolean> {
  try {
    await producer.send({ topic, messages: [{ partition, value }] });
    return true;
  } catch (error) {
    if ((error as { type?: string }).type === 'MESSAGE_TOO_LARGE') return false;
    throw error;
  }
}

function documentOf(
  documentId: string,
  text: string,
  input: Partial<DocumentIngestedInput> = {},
): DocumentIngestedInput {
  return { tenantId: 'tenant', documentId, revision: 1, occurredAt: Date.now(), text, ...input };
}
