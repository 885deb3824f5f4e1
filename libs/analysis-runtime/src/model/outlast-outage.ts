import { RetryLater } from '@anabranch/failures';

/** How a run has fared so far. */
export interface Tried {
  /** From 1, of those in place. */
  readonly attempt: number;
  /** How long this one took, in milliseconds. */
  readonly tookMs: number;
}

/** So often a call is tried in place, within some seconds: a provider that restarts is waited for without more ado. */
const triesInPlace = 4;
/** A failure that takes so long is no hiccup: the second one is enough. */
const longTryMs = 10_000;
/** Beyond what is waited in place (`libs/kafka`), so that the run is deferred. */
const outageWaitMs = 40_000;

/**
 * That a provider is down, or busy, is no fault of the document: its run is deferred in place of running out of attempts,
 * for as long as the provider needs. Returns the failure to throw: the same one, or one that asks for a long wait.
 */
export function outlastOutage(error: unknown, { attempt, tookMs }: Tried): unknown {
  if (!(error instanceof RetryLater)) return error;
  const isLasting = attempt >= triesInPlace || (attempt > 1 && tookMs >= longTryMs);
  if (!isLasting || error.afterMs >= outageWaitMs) return error;
  return new RetryLater(error.message, { afterMs: outageWaitMs, code: error.code, cause: error });
}
