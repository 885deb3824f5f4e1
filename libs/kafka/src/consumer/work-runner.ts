import { PoisonMessage } from '@anabranch/failures';
import { reach } from '@anabranch/failures/fail-points';
import type { BrokerRecord, RecordHeader } from '../broker-port.js';
import type { Clock } from '../clock.js';
import {
  headerText,
  type Deferral,
  type HandlerContext,
  type IncomingRecord,
  type PendingDeferral,
  type RecordHandler,
  type SettledFailure,
} from '../incoming-record.js';
import type { Logger } from '../logger.js';
import { traceHeaders } from '../telemetry-names.js';
import type { Span, Tracer } from '../tracing.js';
import type { ConsumerMetrics } from './consumer-metrics.js';
import { deadLetterHeaders } from './dead-letter.js';
import { loggableError } from './loggable-error.js';
import { stepAfter, type Ending, type Step } from './next-step.js';
import { endProcessSpan, startProcessSpan } from './process-span.js';
import { backoffMs, type RetryPolicy } from './retry-schedule.js';
import type { Verdict, Work } from './work.js';

export interface WorkRunnerOptions {
  readonly group: string;
  readonly handlerOf: (topic: string) => RecordHandler<unknown>;
  /** Resolves when the broker has acknowledged the dead letter. */
  readonly sendDeadLetter: (record: BrokerRecord, headers: readonly RecordHeader[]) => Promise<void>;
  /** Called after the dead letter, and only for records that could be decoded. */
  readonly onSettled?: (record: IncomingRecord, failure: SettledFailure) => Promise<void>;
  /**
   * Keeps a record until it is due; the record is finished when this resolves. Without it all waits are done in place.
   * Throws PoisonMessage for one that it has kept for too long: a dead letter.
   */
  readonly defer?: (record: IncomingRecord, deferral: Deferral) => Promise<void>;
  /** Lends the slot of a record to others until the promise has settled. */
  readonly park: <T>(work: Work, promise: Promise<T>) => Promise<T>;
  readonly retry: RetryPolicy;
  readonly clock: Clock;
  readonly random: () => number;
  readonly metrics: ConsumerMetrics;
  readonly tracer?: Tracer | undefined;
  readonly log: Logger;
}

const done = { kind: 'done' } as const;

/** Tries one record: its handler, or what settles it when it cannot be handled. */
export class WorkRunner {
  constructor(private readonly options: WorkRunnerOptions) {}

  /** Never rejects: an error that escaped would stop the client. */
  run(work: Work): Promise<Ending> {
    work.startedAt = this.options.clock.now();
    if (work.verdict !== undefined) return this.settleUnhandled(work, work.verdict);
    if (work.deferral !== undefined) return this.defer(work, work.deferral);
    return this.handle(work, work.startedAt);
  }

  /** What follows from a try that failed, when it is done. */
  private async conclude(work: Work, step: Step): Promise<Ending> {
    if (step.kind === 'done' || step.kind === 'stop') return step;
    // It failed for our reasons, not for the record's; whoever gets the record next decides.
    if (work.epoch.signal.aborted) return { kind: 'interrupted' };
    if (step.kind === 'defer') {
      work.deferral = step.deferral;
      return this.defer(work, step.deferral);
    }
    if (step.kind !== 'settle') return step;
    work.verdict = step.verdict;
    return this.settle(work, step.verdict);
  }

  /** One promise for the record, beside the handler's own: every further one is felt at 100,000 records a second. */
  private handle(work: Work, startedAt: number): Promise<Ending> {
    const { group, handlerOf, metrics, park, tracer } = this.options;
    const { record, epoch } = work;
    const queueWaitMs = startedAt - work.arrivedAt;
    metrics.started(work.topic, queueWaitMs, startedAt - record.timestamp);
    const attempt = (work.attempts?.failed ?? 0) + 1;
    const span = tracer && startProcessSpan(tracer, work, { group, queueWaitMs, attempt });
    const context: HandlerContext = {
      signal: epoch.signal,
      attempt,
      traceparent: span?.traceparent ?? headerText(record, traceHeaders.traceparent),
      park: (promise) => park(work, promise),
    };
    return called(handlerOf(work.topic), incoming(work), context).then(
      () => {
        reach('consumer.handled');
        this.ended(work, { step: done, startedAt, attempt, span });
        return done;
      },
      (error: unknown) => {
        const step = this.failed(work, error);
        this.ended(work, { step, startedAt, attempt, span });
        return this.conclude(work, step);
      },
    );
  }

  private ended({ topic }: Work, { step, startedAt, attempt, span }: EndedTry): void {
    const { clock, metrics } = this.options;
    metrics.ended(topic, { outcome: step.kind, durationMs: clock.now() - startedAt, attempt });
    if (span !== undefined) endProcessSpan(span, step);
  }

  private failed(work: Work, error: unknown): Step {
    const { clock, retry, random, defer } = this.options;
    const canDefer = defer !== undefined;
    const step = stepAfter(retry, {
      error,
      attempts: work.attempts,
      now: clock.now(),
      random: random(),
      canDefer,
    });
    if (step.kind === 'retry') work.attempts = step.attempts;
    if (!work.epoch.signal.aborted) this.report(work, step);
    return step;
  }

  /** It cannot be read, or ended its process: nobody has said so yet. Or it was said, and the settlement is tried again. */
  private settleUnhandled(work: Work, verdict: Verdict): Promise<Ending> {
    if (!work.isReported) this.report(work, { kind: 'settle', verdict });
    return this.settle(work, verdict);
  }

  /** Dead letter first, then the failure outcome, then done. What fails here is tried until it succeeds. */
  private async settle(work: Work, verdict: Verdict): Promise<Ending> {
    const { group, sendDeadLetter, onSettled, metrics } = this.options;
    try {
      if (verdict.deadLetter && !work.isDeadLettered) {
        await sendDeadLetter(work.record, deadLetterHeaders(work.record, group, verdict));
        work.isDeadLettered = true;
        reach('consumer.dead-lettered');
        metrics.deadLettered(work.record.topic, verdict.failure.code);
      }
      if (work.event !== undefined) await onSettled?.(incoming(work), verdict.failure);
      reach('consumer.settled');
      return { kind: 'done' };
    } catch (error) {
      return this.unsettled(work, error);
    }
  }

  /** The wait is written down elsewhere, and the record is done. */
  private async defer(work: Work, deferral: PendingDeferral): Promise<Ending> {
    try {
      const waitMs = Math.max(0, deferral.dueAt - this.options.clock.now());
      await this.options.defer?.(incoming(work), { ...deferral, waitMs });
      reach('consumer.deferred');
      return { kind: 'done' };
    } catch (error) {
      return error instanceof PoisonMessage ? this.giveUp(work, error) : this.unsettled(work, error);
    }
  }

  /** Whoever keeps records keeps this one no more. */
  private giveUp(work: Work, error: PoisonMessage): Promise<Ending> {
    work.deferral = undefined;
    return this.conclude(work, this.failed(work, error));
  }

  private unsettled(work: Work, error: unknown): Ending {
    const { clock, retry, random, metrics, log } = this.options;
    const step = stepAfter(retry, { error, attempts: undefined, now: clock.now(), random: random() });
    if (step.kind === 'pause' || step.kind === 'stop') return step;
    work.failedSettlements++;
    metrics.settlementFailed(work.record.topic);
    log.error({ ...placeOf(work), ...loggableError(error) }, 'a failed record cannot be settled; its key waits');
    return { kind: 'retry', afterMs: random() * backoffMs(retry, work.failedSettlements), error };
  }

  private report(work: Work, step: Step): void {
    const { log } = this.options;
    if (step.kind === 'retry') {
      log.warn({ ...placeOf(work), ...loggableError(step.error), afterMs: step.afterMs }, 'will be tried again');
    } else if (step.kind === 'defer') {
      const { error, dueAt } = step.deferral;
      log.warn({ ...placeOf(work), ...loggableError(error), dueAt: new Date(dueAt).toISOString() }, 'is deferred');
    } else if (step.kind === 'settle') {
      work.isReported = true;
      const { code, error, attempts } = step.verdict.failure;
      const line = { ...placeOf(work), ...loggableError(error), code, attempts };
      if (code === 'HANDLER_FAILED') log.error(line, 'the handler failed in a way that it does not know');
      else log.warn(line, step.verdict.deadLetter ? 'becomes a dead letter' : 'was refused');
    }
  }
}

interface EndedTry {
  readonly step: Step;
  readonly startedAt: number;
  readonly attempt: number;
  readonly span: Span | undefined;
}

/** A handler need not be an async function, and may throw at once. */
function called(handler: RecordHandler<unknown>, record: IncomingRecord, context: HandlerContext): Promise<void> {
  try {
    return Promise.resolve(handler(record, context));
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

/** Field by field: spreading the record takes five times as long. */
function incoming({ record, event }: Work): IncomingRecord {
  const { topic, partition, offset, timestamp, key, value, headers } = record;
  return { topic, partition, offset, timestamp, key, value, headers, event };
}

/** Where a record is, for the log: never its key or content. */
function placeOf({ record: { topic, partition, offset } }: Work): object {
  return { topic, partition, offset };
}
