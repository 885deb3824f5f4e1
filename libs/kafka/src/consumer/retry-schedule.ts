/** How often and how long one record is tried in place, in its key's queue. */
export interface RetryPolicy {
  /** Tries of a record whose handler asks for a later one, the first included. */
  readonly maxAttempts: number;
  /** Tries of a record whose handler throws what it does not know: a bug, or an accident of the moment. */
  readonly maxBugAttempts: number;
  /** From the first failure to the last try. */
  readonly maxAgeMs: number;
  /** The first wait is random below this; each further one below twice the last. */
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
}

/** What happened to a record so far. */
export interface Attempts {
  /** Tries that ended in a failure of the record's own; waits for shared dependencies are none. */
  readonly failed: number;
  readonly firstFailedAt: number;
  readonly lastFailedAt: number;
}

/** Counts one more failure. */
export function countFailure(attempts: Attempts | undefined, now: number): Attempts {
  return { failed: (attempts?.failed ?? 0) + 1, firstFailedAt: attempts?.firstFailedAt ?? now, lastFailedAt: now };
}

export interface NextTry {
  readonly attempts: Attempts;
  readonly maxAttempts: number;
  /** The least wait that the failure asked for. */
  readonly afterMs: number;
  /** Below 1 and not below 0. */
  readonly random: number;
}

/**
 * The wait before the next try, or undefined when there is none: attempts or age are used up. Full jitter, so that
 * records that failed together do not come back together.
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function nextTry(policy: RetryPolicy, { attempts, maxAttempts, afterMs, random }: NextTry): number | undefined {
  if (attempts.failed >= maxAttempts) return undefined;
  const waitMs = afterMs + random * backoffMs(policy, attempts.failed);
  const age = attempts.lastFailedAt + waitMs - attempts.firstFailedAt;
  return age > policy.maxAgeMs ? undefined : waitMs;
}

/** The upper bound of the wait after so many failures. */
export function backoffMs(
  { firstWaitMs, maxWaitMs }: Pick<RetryPolicy, 'firstWaitMs' | 'maxWaitMs'>,
  failed: number,
): number {
  return Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(failed - 1, 30));
}
