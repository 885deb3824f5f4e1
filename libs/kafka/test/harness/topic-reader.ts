import { randomUUID } from 'node:crypto';
import type { BrokerRecord, TopicPartition } from '../../src/broker-port.js';
import { systemClock } from '../../src/clock.js';
import { laneOf } from '../../src/consumer/partition-epoch.js';
import type { KafkaConfig } from '../../src/index.js';
import { KafkajsBroker } from '../../src/kafkajs/broker-port.js';
import { silentLogger } from '../../src/logger.js';

/** Reads topics from their beginning, as a group of its own that commits nothing. */
export class TopicReader {
  readonly records: BrokerRecord[] = [];
  /** The next offset of each partition. */
  private readonly positions = new Map<string, number>();
  private readonly waiting = new Set<() => void>();
  private readonly failed = Promise.withResolvers<never>();

  private constructor(private readonly broker: KafkajsBroker) {
    this.failed.promise.catch(() => {});
  }

  /** @param topics as the broker knows them */
  static async start(config: KafkaConfig, topics: readonly string[]): Promise<TopicReader> {
    const group = `spec-reader-${randomUUID()}`;
    const session = { sessionTimeoutMs: 6_000, heartbeatIntervalMs: 1_000 };
    const broker = new KafkajsBroker({ config, group, topics, ...session, clock: systemClock, log: silentLogger });
    const reader = new TopicReader(broker);
    await broker.start({
      onAssigned: () => {},
      onPositions: () => {},
      onRevoking: () => {},
      onLost: () => {},
      onFatal: reader.failed.reject,
      onBatch: ({ records, lastOffset, ...partition }) => {
        const next = reader.positions.get(laneOf(partition)) ?? 0;
        // A reader that rejoins begins anew, since it commits nothing: what it has read is not read twice.
        reader.records.push(...records.filter(({ offset }) => offset >= next));
        reader.positions.set(laneOf(partition), Math.max(next, lastOffset + 1));
        for (const check of reader.waiting) check();
      },
    });
    return reader;
  }

  /** Resolves when there are so many records. */
  count(count: number): Promise<void> {
    return this.until(() => this.records.length >= count);
  }

  /** Resolves when it has read up to these offsets. */
  reach(ends: readonly (TopicPartition & { high: number })[]): Promise<void> {
    return this.until(() => ends.every((end) => end.high === 0 || (this.positions.get(laneOf(end)) ?? 0) >= end.high));
  }

  async stop(): Promise<void> {
    await this.broker.stop(2_000);
  }

  private async until(holds: () => boolean): Promise<void> {
    const done = Promise.withResolvers<void>();
    const check = (): void => {
      if (holds()) done.resolve();
    };
    this.waiting.add(check);
    check();
    await Promise.race([done.promise, this.failed.promise]);
    this.waiting.delete(check);
  }
}
