import type { TopicPartition } from '../broker-port.js';
import { laneOf, PartitionEpoch, type PartitionLimits } from './partition-epoch.js';

/** The partitions that this member owns, each with its epoch. */
export class Assignment {
  private readonly epochs = new Map<string, PartitionEpoch>();

  constructor(private readonly limits: PartitionLimits) {}

  /** A kept partition keeps its epoch, a new one begins one, and those of the partitions that are missing end. */
  assign(partitions: readonly TopicPartition[]): { lost: PartitionEpoch[] } {
    const lanes = new Set(partitions.map(laneOf));
    const lost = [...this.epochs.values()].filter(({ lane }) => !lanes.has(lane));
    for (const epoch of lost) this.end(epoch);
    for (const partition of partitions) {
      const lane = laneOf(partition);
      if (!this.epochs.has(lane)) this.epochs.set(lane, new PartitionEpoch(partition, this.limits));
    }
    return { lost };
  }

  get(partition: TopicPartition): PartitionEpoch | undefined {
    return this.epochs.get(laneOf(partition));
  }

  [Symbol.iterator](): IterableIterator<PartitionEpoch> {
    return this.epochs.values();
  }

  private end(epoch: PartitionEpoch): void {
    this.epochs.delete(epoch.lane);
    epoch.end();
  }
}
