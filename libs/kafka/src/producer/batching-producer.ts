import { randomBytes } from 'node:crypto';
import { encodeValue, partitionOf, type EncodableOf, type EventTopic } from '@anabranch/contracts';
import { DependencyUnavailable, PoisonMessage, StopService } from '@anabranch/failures';
import type { RecordHeader } from '../broker-port.js';
import type { Clock } from '../clock.js';
import { topicNameOf, type KafkaConfig } from '../kafka-config.js';
import type { SchemaRegistry } from '../registry/schema-registry.js';
import { Capacity } from './capacity.js';
import { cloudEventHeaders } from './cloud-events.js';
import type { EventProducer, PublishOptions, RawRecord } from './event-producer.js';
import type { ProducerMetrics } from './producer-metrics.js';
import { SendLane, sizeOf, type BatchLimits } from './send-lane.js';
import { MissingTopic, type OutgoingRecord, type SendPort } from './send-port.js';

export interface ProducerSettings {
  readonly batch: BatchLimits;
  /** What may wait for the broker before `publish` waits. */
  readonly queue: BatchLimits;
  /** The topics whose records are CloudEvents: what leaves the platform. */
  readonly cloudEvents: readonly EventTopic[];
}

export const producerDefaults: ProducerSettings = {
  batch: { maxBytes: 768 * 1024, maxRecords: 2_000 },
  queue: { maxBytes: 32 * 1024 * 1024, maxRecords: 20_000 },
  cloudEvents: ['document.enriched'],
};

export interface BatchingProducerOptions {
  readonly config: Pick<KafkaConfig, 'clientId' | 'topicPrefix'>;
  readonly port: SendPort;
  readonly registry: Pick<SchemaRegistry, 'idOf'>;
  readonly metrics: ProducerMetrics;
  readonly settings: ProducerSettings;
  readonly clock: Clock;
}

/** The broker's limit for a batch is 1,048,588 bytes, its own header included. */
const maxRecordBytes = 1_040_000;

/** How old the number of a topic's partitions may be. */
const partitionCountMaxAgeMs = 30_000;

interface PartitionCount {
  readonly count: Promise<number>;
  readonly askedAt: number;
}

/** The producer, over a client's port. */
export class BatchingProducer implements EventProducer {
  private readonly lanes = new Map<string, SendLane>();
  private readonly partitionCounts = new Map<string, PartitionCount>();
  private readonly capacity: Capacity;
  private readonly outstanding = new Set<Promise<void>>();
  private isStopped = false;

  constructor(private readonly options: BatchingProducerOptions) {
    this.capacity = new Capacity(options.settings.queue);
  }

  async start(topics: readonly EventTopic[]): Promise<void> {
    const questions = topics.flatMap((topic) => [this.options.registry.idOf(topic), this.partitionsOf(topic)]);
    const answers = await Promise.allSettled(questions);
    const faults = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
    const unavailable = faults.find((fault) => fault instanceof DependencyUnavailable);
    if (unavailable !== undefined) throw unavailable;
    if (faults.length === 0) return;
    throw new StopService(faults.map(({ message }) => message).join('\n'), { code: 'CONFIGURATION', cause: faults });
  }

  async publish<T extends EventTopic>(topic: T, event: EncodableOf<T>, options: PublishOptions = {}): Promise<void> {
    const { schemaId, partitions } = await this.routeOf(topic);
    const key = Buffer.from(event.documentId);
    const headers = [...this.envelopeOf(topic, event), ...textHeaders(options.headers)];
    const record = { key, value: encodeValue(topic, event, schemaId), headers };
    const bytes = sizeOf(record);
    if (bytes > maxRecordBytes) {
      throw new PoisonMessage(
        'RESULT_TOO_LARGE',
        `The event for ${topic} has ${bytes} bytes, more than ${maxRecordBytes}.`,
      );
    }
    await this.send(this.nameOf(topic), partitionOf(key, partitions), record);
  }

  async publishRaw(topic: string, record: RawRecord): Promise<void> {
    const name = this.nameOf(topic);
    const partitions = await this.partitionCountOf(name);
    await this.send(name, record.partition ?? partitionOf(record.key ?? randomBytes(4), partitions), record);
  }

  async stop(deadlineMs = 5_000): Promise<void> {
    this.isStopped = true;
    const timeIsUp = Promise.withResolvers<void>();
    const cancel = this.options.clock.after(deadlineMs / 2, timeIsUp.resolve);
    await Promise.race([Promise.allSettled(this.outstanding), timeIsUp.promise]);
    cancel();
    await this.options.port.stop(deadlineMs / 2);
  }

  private async send(topic: string, partition: number, record: OutgoingRecord): Promise<void> {
    if (this.isStopped) throw new DependencyUnavailable('kafka', 'The producer is stopped.');
    const { clock, metrics } = this.options;
    const startedAt = clock.now();
    const sent = this.capacity.hold(sizeOf(record), () => this.laneOf(topic, partition).push(record));
    this.outstanding.add(sent);
    try {
      await sent;
      metrics.acknowledged(topic, clock.now() - startedAt);
    } finally {
      this.outstanding.delete(sent);
    }
  }

  private laneOf(topic: string, partition: number): SendLane {
    const name = `${topic}/${partition}`;
    const { port, settings } = this.options;
    const lane =
      this.lanes.get(name) ?? new SendLane((records) => port.send(topic, partition, records), settings.batch);
    this.lanes.set(name, lane);
    return lane;
  }

  /** Where a topic's events go, and under which schema. */
  private async routeOf(topic: EventTopic): Promise<{ schemaId: number; partitions: number }> {
    const [schemaId, partitions] = await Promise.all([this.options.registry.idOf(topic), this.partitionsOf(topic)]);
    return { schemaId, partitions };
  }

  /** Without its topic of events a service cannot work; without that of dead letters it waits. */
  private async partitionsOf(topic: EventTopic): Promise<number> {
    try {
      return await this.partitionCountOf(this.nameOf(topic));
    } catch (error) {
      if (!(error instanceof MissingTopic)) throw error;
      throw new StopService(error.message, { code: 'CONFIGURATION', cause: error });
    }
  }

  private partitionCountOf(topic: string): Promise<number> {
    const now = this.options.clock.now();
    const known = this.partitionCounts.get(topic);
    if (known !== undefined && now - known.askedAt < partitionCountMaxAgeMs) return known.count;
    const asked = this.options.port.partitionCount(topic);
    // While it is asked again, the old answer serves; a first one that fails is forgotten.
    this.partitionCounts.set(topic, { count: known?.count ?? asked, askedAt: now });
    asked.then(
      () => this.partitionCounts.set(topic, { count: asked, askedAt: now }),
      () => known ?? this.partitionCounts.delete(topic),
    );
    return known?.count ?? asked;
  }

  private envelopeOf(topic: EventTopic, event: EncodableOf<EventTopic>): RecordHeader[] {
    const { eventId, occurredAt } = event;
    // An event whose id its readers derive cannot be a CloudEvent, which needs one.
    if (eventId === undefined || !this.options.settings.cloudEvents.includes(topic)) return [];
    return cloudEventHeaders(topic, this.options.config.clientId, { eventId, occurredAt });
  }

  private nameOf(topic: string): string {
    return topicNameOf(this.options.config, topic);
  }
}

function textHeaders(headers: PublishOptions['headers'] = {}): RecordHeader[] {
  return Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)] as const);
}
