import type { BrokerRecord } from '../broker-port.js';
import type { PendingDeferral, SettledFailure } from '../incoming-record.js';
import type { Queued } from './key-queues.js';
import type { PartitionEpoch } from './partition-epoch.js';
import type { Attempts } from './retry-schedule.js';
import type { Priority } from './turns.js';

/** How a record is settled that will not be handled. */
export interface Verdict {
  /** A refusal is published by `onSettled` and is no dead letter. */
  readonly deadLetter: boolean;
  /** Where it failed, in Kafka Connect's terms. */
  readonly stage: 'VALUE_CONVERTER' | 'TASK_PUT';
  readonly failure: SettledFailure;
}

/** A record as its topic's subscription understands it. */
export interface DecodedRecord {
  readonly event: unknown;
  /** What the record's order is kept by. */
  readonly key: string;
  /** Tenants take turns; a tenant's priorities decide among its own records. */
  readonly tenant?: string;
  readonly priority?: Priority;
}

/**
 * A record on its way through the runtime.
 *
 * A class, though it does nothing, as are the others of which there is one per record: when many objects of one literal
 * outlive a garbage collection, V8 makes all later ones old from the start, where even dead they keep alive what they hold.
 */
export class Work implements Queued {
  readonly topic: string;
  readonly lane: string;
  readonly key: string;
  readonly tenant: string;
  readonly priority: Priority;
  /** Undefined when it cannot be decoded; then there is a verdict from the start. */
  readonly event: unknown;
  /** When the try that runs began; later by the time that it was parked. */
  startedAt: number | undefined;
  attempts: Attempts | undefined;
  verdict: Verdict | undefined;
  deferral: PendingDeferral | undefined;
  /** The dead letter is acknowledged: what is left to do must not send it again. */
  isDeadLettered = false;
  /** The log says how it ends. */
  isReported = false;
  failedSettlements = 0;

  constructor(
    readonly epoch: PartitionEpoch,
    readonly record: BrokerRecord,
    { event, key, tenant = '', priority = 'NORMAL' }: DecodedRecord,
    readonly arrivedAt: number,
  ) {
    this.topic = epoch.topic;
    this.lane = epoch.lane;
    this.key = key;
    // What says nothing about it takes its turns as one more tenant.
    this.tenant = tenant;
    this.priority = priority;
    this.event = event;
  }
}
