import { StopService } from '@anabranch/failures';
import type {
  Consumer,
  ConsumerCrashEvent,
  ConsumerEndBatchProcessEvent,
  ConsumerGroupJoinEvent,
  EachBatchPayload,
  KafkaMessage,
} from 'kafkajs';
import type { BrokerListener, BrokerPort, BrokerRecord, CommitPosition, TopicPartition } from '../broker-port.js';
import type { Clock } from '../clock.js';
import type { KafkaConfig } from '../kafka-config.js';
import type { Logger } from '../logger.js';
import { createKafkajsClient } from './client.js';
import type { OrderedHeader } from './patches.js';
import { within } from './within.js';

export interface KafkajsBrokerOptions {
  readonly config: KafkaConfig;
  readonly group: string;
  /** As the broker knows them. */
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The settings that did best; latency does not depend on the wait, since one byte ends it. */
const fetching = { maxWaitTimeInMs: 250, minBytes: 1, maxBytesPerPartition: 512 * 1024, metadataMaxAge: 30_000 };

/** How often the fetch loop may fail in a row before kafkajs restarts the consumer. */
const consumerRetries = 5;

/** A member of a consumer group, over kafkajs. */
export class KafkajsBroker implements BrokerPort {
  private readonly consumer: Consumer;
  private memberId: string | undefined;

  constructor(private readonly options: KafkajsBrokerOptions) {
    const { config, group, log, sessionTimeoutMs, heartbeatIntervalMs } = options;
    this.consumer = createKafkajsClient(config, log).consumer({
      groupId: group,
      sessionTimeout: sessionTimeoutMs,
      heartbeatInterval: heartbeatIntervalMs,
      allowAutoTopicCreation: false,
      retry: { retries: consumerRetries },
      ...fetching,
    });
  }

  async start(listener: BrokerListener): Promise<void> {
    this.listen(listener);
    await this.consumer.connect();
    // From the beginning, always: with the end as default, records that came before an added partition was noticed are
    // lost, and an offset out of range jumps over everything.
    await this.consumer.subscribe({ topics: [...this.options.topics], fromBeginning: true });
    await this.consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => Promise.resolve(deliver(listener, payload)),
    });
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.whileRunning(() => this.consumer.pause(byTopic(partitions)));
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.whileRunning(() => this.consumer.resume(byTopic(partitions)));
  }

  async commit(positions: readonly CommitPosition[]): Promise<void> {
    await this.consumer.commitOffsets(
      positions.map(({ topic, partition, offset }) => ({ topic, partition, offset: String(offset) })),
    );
  }

  async stop(deadlineMs: number): Promise<void> {
    await within(this.options.clock, deadlineMs, this.consumer.disconnect());
  }

  private listen(listener: BrokerListener): void {
    const { events } = this.consumer;
    this.consumer.on(events.GROUP_JOIN, (event) => this.onJoin(listener, event));
    this.consumer.on(events.REBALANCING, () => listener.onRevoking());
    this.consumer.on(events.CRASH, (event) => this.onCrash(listener, event));
    this.consumer.on(events.END_BATCH_PROCESS, (event) => passOver(listener, event));
  }

  private onJoin(listener: BrokerListener, { payload }: ConsumerGroupJoinEvent): void {
    // Another member id means that the group went on without us: others may have owned what we held, and gone further.
    if (this.memberId !== undefined && this.memberId !== payload.memberId) listener.onLost();
    this.memberId = payload.memberId;
    listener.onAssigned(
      Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
        partitions.map((partition) => ({ topic, partition })),
      ),
    );
  }

  private onCrash(listener: BrokerListener, { payload: { error, restart } }: ConsumerCrashEvent): void {
    listener.onLost();
    if (restart) return;
    // Without this kafkajs would do nothing more, and the process would end with code 0.
    const message = `The Kafka client of the group ${this.options.group} gave up: ${error.message}`;
    listener.onFatal(new StopService(message, { cause: error }));
  }

  /** Between a crash and the restart kafkajs has no member to ask; the next assignment says it again. */
  private whileRunning(change: () => void): void {
    try {
      change();
    } catch (error) {
      this.options.log.debug({ err: error }, 'no member to pause or resume');
    }
  }
}

/** Hands a batch on and moves the fetch position; what is committed is decided elsewhere. Never throws, never waits. */
function deliver(listener: BrokerListener, { batch, resolveOffset }: EachBatchPayload): void {
  const { topic, partition, messages } = batch;
  try {
    listener.onBatch({
      topic,
      partition,
      records: messages.map((message) => toRecord(topic, partition, message)),
      lastOffset: Number(batch.lastOffset()),
      endOffset: Number(batch.highWatermark),
    });
    resolveOffset(batch.lastOffset());
  } catch (error) {
    // Out of here it would make kafkajs restart the consumer, again and again.
    const message = `A batch of ${topic}/${partition} could not be taken: ${String(error)}`;
    listener.onFatal(new StopService(message, { cause: error }));
  }
}

/** A batch of which nothing is visible never reaches `eachBatch`; without this the watermark would stay behind it. */
function passOver(listener: BrokerListener, { payload }: ConsumerEndBatchProcessEvent): void {
  if (payload.batchSize > 0) return;
  const { topic, partition, lastOffset, highWatermark } = payload;
  listener.onBatch({
    topic,
    partition,
    records: [],
    lastOffset: Number(lastOffset),
    endOffset: Number(highWatermark),
  });
}

function toRecord(topic: string, partition: number, message: KafkaMessage): BrokerRecord {
  const headers = (message.headers ?? []) as unknown as readonly OrderedHeader[];
  return {
    topic,
    partition,
    offset: Number(message.offset),
    timestamp: Number(message.timestamp),
    key: message.key,
    value: message.value,
    headers: headers.map(({ key, value }) => [key, value] as const),
  };
}

function byTopic(partitions: readonly TopicPartition[]): { topic: string; partitions: number[] }[] {
  return partitions.map(({ topic, partition }) => ({ topic, partitions: [partition] }));
}
