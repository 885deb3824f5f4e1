import { actionFor } from '@anabranch/failures';
import type { HandlerContext, IncomingRecord, RecordHandler } from '../incoming-record.js';

/**
 * Handles several records at once, at most one per key: they are finished when the promise resolves. What goes on beyond
 * that no longer hears of a loss.
 */
export type RecordsHandler<E> = (
  records: readonly IncomingRecord<E>[],
  context: Pick<HandlerContext, 'signal'>,
) => Promise<void>;

export interface BatchOptions {
  readonly maxRecords: number;
}

interface Waiting<E> {
  readonly record: IncomingRecord<E>;
  readonly signal: AbortSignal;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * A record handler for work that is set-based: what arrives while one batch runs is the next one.
 *
 * Invariants: one batch at a time; a failure that concerns a record falls on that record alone, because a batch that
 * fails is tried in halves. So effects must be idempotent, as for every handler. What was lost while it waited is in none.
 */
export function inBatches<E>(onRecords: RecordsHandler<E>, { maxRecords }: BatchOptions): RecordHandler<E> {
  const waiting: Waiting<E>[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) await handle(waiting.splice(0, maxRecords));
    isRunning = false;
  }

  async function handle(planned: readonly Waiting<E>[]): Promise<void> {
    const batch = planned.filter(({ signal }) => !signal.aborted);
    for (const { signal, done } of planned) if (signal.aborted) done.reject(signal.reason as Error);
    if (batch.length === 0) return;
    const { signal, release } = anyOf(new Set(batch.map((one) => one.signal)));
    try {
      await onRecords(
        batch.map(({ record }) => record),
        { signal },
      );
      for (const { done } of batch) done.resolve();
    } catch (error) {
      await blame(batch, error);
    } finally {
      release();
    }
  }

  async function blame(batch: readonly Waiting<E>[], error: unknown): Promise<void> {
    const action = actionFor(error);
    const isShared = action === 'pause-intake' || action === 'stop';
    if (isShared || batch.length === 1) return batch.forEach(({ done }) => done.reject(error as Error));
    // Also when one record's partition was lost: those of the others succeed in a half without it.
    const middle = Math.ceil(batch.length / 2);
    await handle(batch.slice(0, middle));
    await handle(batch.slice(middle));
  }

  return (record, { signal }) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ record, signal, done });
    // Once the records that start in the same turn are here, too.
    if (!isRunning) {
      isRunning = true;
      queueMicrotask(() => void run());
    }
    return done.promise;
  };
}

/** Aborts as soon as one of them does, until it is released. What listens to `AbortSignal.any` lives as long as its sources. */
function anyOf(signals: ReadonlySet<AbortSignal>): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = ({ target }: Event): void => controller.abort((target as AbortSignal).reason);
  for (const signal of signals) signal.addEventListener('abort', abort);
  const release = (): void => {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, release };
}
