import { StopService } from '@anabranch/failures';
import kafkajs, { type Consumer, type ConsumerCrashEvent, type ConsumerGroupJoinEvent } from 'kafkajs';
import type { BrokerListener, BrokerPort, CommitPosition, StopOptions, TopicPartition } from '../broker-port.js';
import { within, type Clock } from '../clock.js';
import type { KafkaConfig } from '../kafka-config.js';
import type { Logger } from '../logger.js';
import { createKafkajsClient } from './client.js';
import { coPartitioning } from './co-partitioning.js';
import { noting } from './dealt-partitions.js';
import { deliver, passOver } from './deliver.js';
import { isMetadataTooLarge } from './errors.js';
import { startOf, type ExpiredPolicy } from './expired-offsets.js';
import { GroupMember } from './group-member.js';
import type { FoundPosition } from './start-positions.js';
import { staticMembershipFault } from './static-membership.js';

export interface KafkajsBrokerOptions {
  readonly config: KafkaConfig;
  readonly group: string;
  /** As the broker knows them. */
  readonly topics: readonly string[];
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  /** Makes the member a static one. */
  readonly instanceId?: string | undefined;
  readonly whenExpired?: ExpiredPolicy | undefined;
  /** Gives the same partitions of all topics to one member. */
  readonly coPartitioned?: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The settings that did best; latency does not depend on the wait, since one byte ends it. */
const fetching = { maxWaitTimeInMs: 250, minBytes: 1, maxBytesPerPartition: 512 * 1024, metadataMaxAge: 30_000 };

/** Always offered as well: while a group is upgraded, some of its members know nothing else. */
const { roundRobin } = kafkajs.PartitionAssigners;

/** How often the fetch loop may fail in a row before kafkajs restarts the consumer. */
const consumerRetries = 5;

/** A member of a consumer group, over kafkajs. */
export class KafkajsBroker implements BrokerPort {
  private readonly consumer: Consumer;
  private readonly member: GroupMember;
  private listener: BrokerListener | undefined;
  private memberId: string | undefined;
  private carriesMetadata = true;
  private isStopped = false;
  /** The first assignment is there, or there will be none. */
  private readonly begun = Promise.withResolvers<void>();
  private readonly stopping = Promise.withResolvers<void>();
  fetchedAt: number | undefined;
  /** From the moment at which a join is sent until its assignment is told. */
  private joining: PromiseWithResolvers<void> | undefined;

  constructor(private readonly options: KafkajsBrokerOptions) {
    const { config, group, instanceId, log, sessionTimeoutMs, heartbeatIntervalMs } = options;
    this.member = new GroupMember(group, instanceId, {
      onFenced: (seat) => this.onFenced(seat),
      onFound: (positions) => this.onFound(positions),
      onJoining: () => this.onJoining(),
      onFallback: (reason) => log.warn({ group, instanceId, reason }, 'no static membership: restarts will rebalance'),
    });
    this.member.topics = options.topics;
    this.consumer = createKafkajsClient(config, log).consumer({
      groupId: group,
      sessionTimeout: sessionTimeoutMs,
      heartbeatInterval: heartbeatIntervalMs,
      allowAutoTopicCreation: false,
      retry: { retries: consumerRetries },
      partitionAssigners: [...(options.coPartitioned === true ? [coPartitioning] : []), roundRobin].map(noting),
      ...fetching,
    });
  }

  async start(listener: BrokerListener): Promise<void> {
    this.listener = listener;
    this.listen(listener);
    const fault = await staticMembershipFault();
    if (fault !== undefined) this.member.fallBack(fault);
    const consuming = this.member.run(() => this.consume(listener));
    // When the first join fails, kafkajs says that it runs, and tries again by itself. Stopped meanwhile, there is none.
    await Promise.race([consuming.then(() => this.begun.promise), this.stopping.promise]);
  }

  private async consume(listener: BrokerListener): Promise<void> {
    const { clock, heartbeatIntervalMs } = this.options;
    if (this.isStopped) return;
    await this.consumer.connect();
    // From the beginning, always: with the end as default, records that came before an added partition was noticed are
    // lost, and an offset out of range jumps over everything.
    await this.consumer.subscribe({ topics: [...(this.member.topics ?? [])], fromBeginning: true });
    if (this.isStopped) return;
    await this.consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: async (payload) => {
        // kafkajs still hands over what it had fetched when another process took the seat.
        if (this.member.isFenced) return;
        const caughtUp = deliver(listener, payload);
        // kafkajs sends heartbeats between the batches only: none may keep the next one waiting for long.
        if (caughtUp instanceof Promise) await within(clock, heartbeatIntervalMs / 2, caughtUp);
        // After all microtasks: records that need no wait are done before others are read, and never pile up.
        else await new Promise<void>((resolve) => process.nextTick(resolve));
      },
    });
  }

  setTopics(topics: readonly string[]): void {
    this.member.topics = topics;
  }

  pause(partitions: readonly TopicPartition[]): void {
    this.whileRunning(() => this.consumer.pause(byTopic(partitions)));
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.whileRunning(() => this.consumer.resume(byTopic(partitions)));
  }

  async commit(positions: readonly CommitPosition[]): Promise<void> {
    if (this.joining !== undefined) {
      // The broker would refuse it; or, between the new assignment and the word of it, take it for the new generation.
      await this.joining.promise;
      throw new Error('A join came before the commit.');
    }
    const offsets = positions.map(({ topic, partition, offset, metadata = null }) => ({
      topic,
      partition,
      offset: String(offset),
      metadata: this.carriesMetadata ? metadata : null,
    }));
    try {
      await this.member.run(() => this.consumer.commitOffsets(offsets));
    } catch (error) {
      if (isMetadataTooLarge(error)) this.goWithoutMetadata(error);
      throw error;
    }
  }

  async stop(deadlineMs: number, { isRemoved = false }: StopOptions = {}): Promise<void> {
    this.isStopped = true;
    this.member.isRemoved = isRemoved;
    this.stopping.resolve();
    await within(this.options.clock, deadlineMs, this.disconnect());
    this.member.hasLeft = true;
  }

  /** Twice: kafkajs takes no notice of a stop while it connects or joins, and may have become a member in between. */
  private async disconnect(): Promise<void> {
    await this.member.run(() => this.consumer.disconnect());
    this.member.hasLeft = true;
    await this.member.run(() => this.consumer.disconnect());
  }

  private listen(listener: BrokerListener): void {
    const { events } = this.consumer;
    this.consumer.on(events.GROUP_JOIN, (event) => this.onJoin(listener, event));
    this.consumer.on(events.FETCH, () => (this.fetchedAt = this.options.clock.now()));
    this.consumer.on(events.CRASH, (event) => this.onCrash(listener, event));
    this.consumer.on(events.END_BATCH_PROCESS, (event) => passOver(listener, event));
  }

  private onJoining(): void {
    if (this.joining !== undefined) return;
    this.listener?.onRevoking();
    this.joining = Promise.withResolvers<void>();
  }

  private endJoin(): void {
    this.joining?.resolve();
    this.joining = undefined;
  }

  private onJoin(listener: BrokerListener, { payload }: ConsumerGroupJoinEvent): void {
    if (this.isStopped) return this.endJoin();
    // Another member id means that the group went on without us: others may have owned what we held, and gone further.
    if (this.memberId !== undefined && this.memberId !== payload.memberId) listener.onLost();
    this.memberId = payload.memberId;
    listener.onAssigned(
      Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
        partitions.map((partition) => ({ topic, partition })),
      ),
    );
    this.endJoin();
    this.begun.resolve();
  }

  private onCrash(listener: BrokerListener, { payload: { error, restart } }: ConsumerCrashEvent): void {
    listener.onLost();
    this.endJoin();
    if (restart || this.isStopped) return;
    this.begun.resolve();
    // Without this kafkajs would do nothing more, and the process would end with code 0.
    const message = `The Kafka client of the group ${this.options.group} gave up: ${error.message}`;
    listener.onFatal(new StopService(message, { cause: error }));
  }

  private onFound(positions: readonly FoundPosition[]): number[] {
    const { group, whenExpired: policy = 'stop', log } = this.options;
    try {
      const starts = positions.map((found) => startOf(found, group, { policy, log }));
      this.listener?.onPositions(
        positions.map(({ topic, partition, wanted, committed, metadata, high }, index) => {
          const offset = starts[index] ?? 0;
          const carried = offset === wanted ? metadata : '';
          return { topic, partition, offset, committed, metadata: carried, endOffset: high };
        }),
      );
      return starts;
    } catch (error) {
      this.listener?.onFatal(error as StopService);
      // Else kafkajs would try it again.
      throw Object.assign(error as Error, { retriable: false });
    }
  }

  /** The next commit covers what this one has left as it was. */
  private goWithoutMetadata(error: unknown): void {
    this.carriesMetadata = false;
    const consequence = 'the broker takes too little offset metadata; after a crash more records come again';
    this.options.log.warn({ err: error, setting: 'offset.metadata.max.bytes' }, consequence);
  }

  /** Whoever came later under this id has the seat: to ask for it back would be a fight without an end. */
  private onFenced(instanceId: string): void {
    const { group } = this.options;
    this.listener?.onLost();
    const message = `Another process has joined the group ${group} as "${instanceId}", so this one stops. Give each process an instance id of its own.`;
    this.listener?.onFatal(new StopService(message));
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

function byTopic(partitions: readonly TopicPartition[]): { topic: string; partitions: number[] }[] {
  return partitions.map(({ topic, partition }) => ({ topic, partitions: [partition] }));
}
