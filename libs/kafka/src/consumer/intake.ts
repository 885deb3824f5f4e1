import { DependencyUnavailable, StopService } from '@anabranch/failures';
import type { BrokerRecord } from '../broker-port.js';
import type { Clock } from '../clock.js';
import { Fifo } from '../fifo.js';
import { IntakePause, type ProbePolicy } from './intake-pause.js';
import { endedItsProcess, undecodable } from './next-step.js';
import type { PartitionEpoch } from './partition-epoch.js';
import { burialOf } from './suspicion.js';
import { Work, type DecodedRecord } from './work.js';

/**
 * Understands a record at once; or, when the schema of its writer has to be fetched first, returns a promise of being able
 * to. Throws, or rejects with, the failures of `@anabranch/failures`.
 */
export type DecodeRecord = (record: BrokerRecord) => DecodedRecord | Promise<unknown>;

export interface IntakeOptions {
  readonly decode: DecodeRecord;
  readonly enqueue: (work: Work) => void;
  /** Something was enqueued. */
  readonly onQueued: () => void;
  /** The partition began, or ceased, to wait for the registry. */
  readonly onStall: (epoch: PartitionEpoch) => void;
  readonly onFatal: (error: unknown) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly probes: ProbePolicy;
}

/**
 * Decodes one partition's records before they are queued, because the queue's key may be in the event.
 *
 * Invariant: records leave in the order in which they came. One whose schema has to be fetched holds back those behind
 * it, in its partition only; while the registry is down nothing is dead-lettered.
 */
export class Intake {
  private readonly records = new Fifo<BrokerRecord>();
  private readonly pause: IntakePause;
  private isFetching = false;

  constructor(
    private readonly epoch: PartitionEpoch,
    private readonly options: IntakeOptions,
  ) {
    this.pause = new IntakePause(options.probes, options.random);
  }

  /** What the partition waits for, if anything. */
  get stall(): IntakePause['cause'] {
    return this.pause.cause;
  }

  push(records: readonly BrokerRecord[]): void {
    for (const record of records) this.records.push(record);
    if (!this.isFetching) this.advance();
  }

  private advance(): void {
    this.isFetching = false;
    const now = this.options.clock.now();
    for (let record = this.records.peek(); record !== undefined; record = this.records.peek()) {
      if (!this.epoch.isCurrent) return;
      const decoded = this.decode(record);
      if (decoded instanceof Promise) {
        this.fetch(record, decoded);
        break;
      }
      this.enqueue(record, decoded, now);
    }
    this.options.onQueued();
  }

  private decode(record: BrokerRecord): DecodedRecord | Error | Promise<unknown> {
    if (this.burialOf(record) === 'bury-unread') return new Error('It ends the process when it is read.');
    try {
      return this.options.decode(record);
    } catch (error) {
      return asError(error);
    }
  }

  private fetch(record: BrokerRecord, schema: Promise<unknown>): void {
    this.isFetching = true;
    void schema.then(
      () => this.advance(),
      (error: unknown) => this.fail(record, error),
    );
  }

  private fail(record: BrokerRecord, error: unknown): void {
    if (!this.epoch.isCurrent) return;
    if (error instanceof StopService) return this.options.onFatal(error);
    if (error instanceof DependencyUnavailable) return this.retryLater(error);
    this.enqueue(record, asError(error), this.options.clock.now());
    this.advance();
  }

  private retryLater({ dependency }: DependencyUnavailable): void {
    const firstWaitMs = this.pause.close(dependency, this.options.clock.now());
    const waitMs = firstWaitMs ?? this.pause.probeFailed(dependency);
    if (firstWaitMs !== undefined) this.options.onStall(this.epoch);
    this.options.clock.after(waitMs, () => this.advance());
  }

  /** The oldest record is understood, or known to be unreadable: whatever it waited for is over. */
  private enqueue(record: BrokerRecord, decoded: DecodedRecord | Error, now: number): void {
    this.records.shift();
    this.endStall();
    const { epoch, options } = this;
    const isUnreadable = decoded instanceof Error;
    const content: DecodedRecord = isUnreadable ? { key: rawKeyOf(record), event: undefined } : decoded;
    const work = new Work(epoch, record, content, now);
    if (this.burialOf(record) !== undefined) work.verdict = endedItsProcess(epoch.suspicion?.exits ?? 0, now);
    else if (isUnreadable) work.verdict = undecodable(decoded, now);
    options.enqueue(work);
  }

  private burialOf({ offset }: BrokerRecord): ReturnType<typeof burialOf> {
    return burialOf(this.epoch.suspicion, offset);
  }

  private endStall(): void {
    if (this.pause.isOpen) return;
    this.pause.open();
    this.options.onStall(this.epoch);
  }
}

/** Without an event the record's own key is what is left; a record without a key has no order to keep. */
function rawKeyOf({ topic, partition, offset, key }: BrokerRecord): string {
  return key === null ? `${topic}/${partition}/${offset}` : `${topic}/${key.toString('latin1')}`;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
