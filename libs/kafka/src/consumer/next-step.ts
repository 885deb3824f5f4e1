import { actionFor, describeFailure, PoisonMessage } from '@anabranch/failures';
import type { DependencyUnavailable, RetryLater, SharedDependency } from '@anabranch/failures';
import type { PendingDeferral } from '../incoming-record.js';
import { countFailure, nextTry, type Attempts, type RetryPolicy } from './retry-schedule.js';
import type { Verdict } from './work.js';

/** What happens to a record after a try. */
export type Step =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly afterMs: number; readonly attempts?: Attempts; readonly error: unknown }
  | { readonly kind: 'settle'; readonly verdict: Verdict }
  | { readonly kind: 'defer'; readonly deferral: PendingDeferral }
  | { readonly kind: 'pause'; readonly dependency: SharedDependency; readonly error: unknown }
  | { readonly kind: 'stop'; readonly error: unknown };

/** What the runtime is told when a record was tried and, where that was due, settled. */
export type Ending =
  | Exclude<Step, { kind: 'settle' | 'defer' }>
  /** The handler was told to end: how it failed says nothing about the record. */
  | { readonly kind: 'interrupted' };

export interface FailedTry {
  readonly error: unknown;
  readonly attempts: Attempts | undefined;
  readonly now: number;
  /** Below 1 and not below 0. */
  readonly random: number;
  /** Whether somebody keeps records that have to wait longer than is done in place. */
  readonly canDefer?: boolean;
}

/** What follows from an error that a handler threw. */
export function stepAfter(policy: RetryPolicy, failure: FailedTry): Step {
  const { error, attempts, now, random } = failure;
  const action = actionFor(error);
  if (action === 'stop') return { kind: 'stop', error };
  // Each of these two actions belongs to one class of failures.
  if (action === 'pause-intake')
    return { kind: 'pause', dependency: (error as DependencyUnavailable).dependency, error };
  const counted = countFailure(attempts, now);
  if (action === 'dead-letter') return settle(error, counted);
  if (action === 'refuse') return settle(error, counted, { deadLetter: false });
  const isBug = action === 'retry-once';
  if (!isBug && failure.canDefer && (error as RetryLater).afterMs > policy.maxWaitMs) {
    return { kind: 'defer', deferral: deferralOf(error as RetryLater, counted) };
  }
  const afterMs = nextTry(policy, {
    attempts: counted,
    maxAttempts: isBug ? policy.maxBugAttempts : policy.maxAttempts,
    afterMs: isBug ? 0 : (error as RetryLater).afterMs,
    random,
  });
  if (afterMs !== undefined) return { kind: 'retry', afterMs, attempts: counted, error };
  return settle(isBug ? error : exhausted(error, counted), counted);
}

/** The verdict on a record that cannot be decoded. It is not tried again: the same bytes give the same failure. */
export function undecodable(error: unknown, now: number): Verdict {
  return verdictOn(error, countFailure(undefined, now), { stage: 'VALUE_CONVERTER' });
}

/** The verdict on a record that ended the process so often while nothing else ran. */
export function endedItsProcess(exits: number, now: number): Verdict {
  return verdictOn(
    new PoisonMessage(
      'PROCESS_KILLED',
      `The process ended by its own fault ${exits} times while it worked on this record alone.`,
    ),
    { failed: exits, firstFailedAt: now, lastFailedAt: now },
    {},
  );
}

function deferralOf(error: RetryLater, { failed, lastFailedAt }: Attempts): PendingDeferral {
  return { ...describeFailure(error), error, attempts: failed, dueAt: lastFailedAt + error.afterMs };
}

type VerdictDetails = Partial<Pick<Verdict, 'deadLetter' | 'stage'>>;

function settle(error: unknown, attempts: Attempts, details: VerdictDetails = {}): Step {
  return { kind: 'settle', verdict: verdictOn(error, attempts, details) };
}

function verdictOn(error: unknown, attempts: Attempts, details: VerdictDetails): Verdict {
  const { failed, firstFailedAt, lastFailedAt } = attempts;
  const failure = { ...describeFailure(error), error, attempts: failed, firstFailedAt, lastFailedAt };
  return { deadLetter: true, stage: 'TASK_PUT', failure, ...details };
}

function exhausted(cause: unknown, { failed }: Attempts): PoisonMessage {
  const { message } = describeFailure(cause);
  return new PoisonMessage('RETRIES_EXHAUSTED', `Given up after ${failed} tries: ${message}`, { cause });
}
