import type { FailureCode } from '@anabranch/failures';
import type { BrokerRecord } from './broker-port.js';

/** A record with its decoded event. Key, value and headers are the bytes of the log. */
export interface IncomingRecord<E = unknown> extends BrokerRecord {
  readonly event: E;
}

/** What a handler gets besides the record. */
export interface HandlerContext {
  /**
   * Aborted when the partition was lost or the process stops: end soon, the record comes again. All records of the partition
   * share it: a listener that is not taken off when the work is done stays as long as the partition does.
   */
  readonly signal: AbortSignal;
  /** 1 for the first try in this process. */
  readonly attempt: number;
  /**
   * The trace to go on with (W3C `traceparent`), for whatever follows from the record: this try's span, when there is a
   * tracer, else what the record came with.
   */
  readonly traceparent: string | undefined;
  /**
   * Waits for somebody else's work without holding one of the `maxInFlight` slots. The record keeps its place at the head of
   * its key, and no attempt is counted. Settles as `promise` does, once a slot is free again.
   */
  park<T>(promise: Promise<T>): Promise<T>;
}

/**
 * Handles one record: it is finished when the promise resolves. A failure says by its class what happens next
 * (`@anabranch/failures`).
 */
export type RecordHandler<E> = (record: IncomingRecord<E>, context: HandlerContext) => Promise<void>;

/** Why a record was settled without having been handled. */
export interface SettledFailure {
  readonly code: FailureCode;
  /** Holds no text of the document. */
  readonly message: string;
  readonly error: unknown;
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly firstFailedAt: number;
  readonly lastFailedAt: number;
}

/** The last header of that name, as text: the one that counts when a name repeats. */
export function headerText(record: Pick<BrokerRecord, 'headers'>, name: string): string | undefined {
  // Nearly all records have none, and this is asked for each of them.
  if (record.headers.length === 0) return undefined;
  const value = record.headers.findLast(([header]) => header === name)?.[1];
  return value?.toString('utf8');
}

/** A wait that is too long to be done in the key's queue, as it was asked for. */
export interface PendingDeferral {
  /** Milliseconds since the epoch. */
  readonly dueAt: number;
  readonly code: FailureCode;
  /** Holds no text of the document. */
  readonly message: string;
  readonly error: unknown;
  readonly attempts: number;
}

/** A wait to be kept by somebody else. */
export interface Deferral extends PendingDeferral {
  /** What is left of it, in milliseconds: whoever keeps it has a clock of his own. */
  readonly waitMs: number;
}
