import type { TopicPartition } from '../../../src/broker-port.js';
import type { ExpiredPolicy } from '../../../src/kafkajs/expired-offsets.js';
import type { GroupOffsets } from '../broker/group-offsets.js';
import type { PartitionLog } from '../broker/partition-log.js';
import type { SimulatedGroup } from '../broker/simulated-group.js';
import type { OutsideLedger } from '../ledger/outside-ledger.js';
import type { Outage } from '../schedule.js';
import type { SeededRandom } from '../seeded-random.js';
import type { Timeline } from '../timeline.js';

/** The part of the world that clients share. */
export interface Cluster {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly group: SimulatedGroup;
  readonly offsets: GroupOffsets;
  readonly ledger: OutsideLedger;
  readonly logs: readonly PartitionLog[];
  readonly fetchRecords: number;
  readonly whenExpired: ExpiredPolicy;
  isOut(outage: Outage): boolean;
  logOf(partition: TopicPartition): PartitionLog;
  /** A partition goes on for a process, which finds nothing wrong with that. */
  onStart(log: PartitionLog, process: string): void;
}

/** What the parts of a client have in common. */
export interface ClientContext {
  readonly cluster: Cluster;
  readonly process: string;
  /** Runs something in the process: at once, when it is thawed, or never when it is dead. */
  readonly run: (work: () => void) => void;
}
