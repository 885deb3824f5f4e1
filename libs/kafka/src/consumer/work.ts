import type { BrokerRecord } from '../broker-port.js';
import type { Deferral, SettledFailure } from '../incoming-record.js';
import type { Queued } from './key-queues.js';
import type { PartitionEpoch } from './partition-epoch.js';
import type { Attempts } from './retry-schedule.js';

/** How a record is settled that will not be handled. */
export interface Verdict {
  /** A refusal is published by `onSettled` and is no dead letter. */
  readonly deadLetter: boolean;
  /** Where it failed, in Kafka Connect's terms. */
  readonly stage: 'VALUE_CONVERTER' | 'TASK_PUT';
  readonly failure: SettledFailure;
}

/** A record on its way through the runtime. */
export interface Work extends Queued {
  readonly epoch: PartitionEpoch;
  readonly record: BrokerRecord;
  /** Undefined when it cannot be decoded; then there is a verdict from the start. */
  readonly event: unknown;
  readonly arrivedAt: number;
  /** When the try that runs began; later by the time that it was parked. */
  startedAt?: number;
  attempts?: Attempts;
  verdict?: Verdict;
  deferral?: Deferral;
  /** The dead letter is acknowledged: what is left to do must not send it again. */
  isDeadLettered?: boolean;
  failedSettlements?: number;
}
