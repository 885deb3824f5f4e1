import type { StopService } from '@anabranch/failures';
import type { BrokerRecord } from '../../../src/broker-port.js';
import type { Cluster } from '../client/cluster.js';
import type { Tenure } from '../ledger/tenure.js';
import type { TryAccount } from '../ledger/try-account.js';
import type { PlannedRecord, Schedule } from '../schedule.js';

/** What processes share besides the cluster. */
export interface World extends Cluster {
  readonly schedule: Schedule;
  /** The dead letters and the deferred records that were written, with the places of their records. */
  readonly written: { readonly 'dead letter': Set<string>; readonly deferral: Set<string> };
  planOf(record: BrokerRecord): PlannedRecord;
  /** The process ended by itself. */
  onExit(process: Exiting, error: StopService): void;
  /** The process ended by a fault of its own. */
  onOwnExit(process: Exiting): void;
}

export interface Exiting {
  readonly name: string;
}

/** What the parts of a process have in common. */
export interface ProcessContext {
  readonly name: string;
  readonly world: World;
  readonly tries: TryAccount;
  readonly isAlive: boolean;
  /** It was told to stop, and the time that its handlers had is over. */
  readonly isStopOverdue: boolean;
  /** Ends the process, by its own fault; nothing of it goes on. */
  crash(): Promise<never>;
  /** Runs something in the process after a while: when it is thawed, or never when it is dead. */
  readonly after: (ms: number, work: () => void) => void;
  /** In which ownership a record was delivered. */
  tenureOf(record: BrokerRecord): Tenure;
}
