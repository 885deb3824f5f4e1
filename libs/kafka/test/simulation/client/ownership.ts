import type { BrokerRecord, TopicPartition } from '../../../src/broker-port.js';
import { laneOf } from '../../../src/consumer/partition-epoch.js';
import { Tenure } from '../ledger/tenure.js';

/** What one client owns, and in which ownership a record was delivered. */
export class Ownership {
  private readonly byLane = new Map<string, Tenure>();
  /** All that there ever were, by the id that their records carry. */
  private readonly byId = new Map<string, Tenure>();

  constructor(private readonly process: string) {}

  /** Owns exactly these from here on. A kept partition goes on in its ownership. */
  own(partitions: readonly TopicPartition[]): void {
    const lanes = new Set(partitions.map(laneOf));
    for (const [lane, tenure] of this.byLane) {
      if (lanes.has(lane)) continue;
      tenure.isCurrent = false;
      this.byLane.delete(lane);
    }
    for (const lane of lanes) {
      if (this.byLane.has(lane)) continue;
      const tenure = new Tenure(this.process, lane);
      this.byLane.set(lane, tenure);
      this.byId.set(tenure.id, tenure);
    }
  }

  /** The process has gone, or is told to do nothing more: what it still does is not in an ownership. */
  end(): void {
    for (const tenure of this.byLane.values()) tenure.isCurrent = false;
  }

  of(partition: TopicPartition): Tenure | undefined {
    return this.byLane.get(laneOf(partition));
  }

  get tenures(): readonly Tenure[] {
    return [...this.byLane.values()];
  }

  /** What is left of an earlier ownership must not count for a later one. */
  tenureOf({ headers }: Pick<BrokerRecord, 'headers'>): Tenure {
    return this.byId.get(String(headers[0]?.[1]))!;
  }
}
