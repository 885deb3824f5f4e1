import { failureCodes, type FailureClass, type FailureCode } from './codes.js';
import {
  DependencyUnavailable,
  PoisonMessage,
  Refused,
  RetryLater,
  StopService,
  type KnownFailure,
} from './failures.js';

/** What a consumer does with a message whose handler threw. */
export type Action = 'dead-letter' | 'retry' | 'pause-intake' | 'refuse' | 'stop' | 'retry-once';

const actions: Record<FailureClass, Action> = {
  poison: 'dead-letter',
  retry: 'retry',
  pause: 'pause-intake',
  refused: 'refuse',
  stop: 'stop',
};

/** Whether what was thrown says what happens next. */
export function isFailure(error: unknown): error is KnownFailure {
  return (
    error instanceof PoisonMessage ||
    error instanceof RetryLater ||
    error instanceof DependencyUnavailable ||
    error instanceof Refused ||
    error instanceof StopService
  );
}

/**
 * The one place that decides what happens next. Anything that is not a failure of ours is a bug: it may be an accident of
 * the moment, so it gets a second try, and then counts as poison.
 */
export function actionFor(error: unknown): Action {
  return isFailure(error) ? actions[failureCodes[error.code].class] : 'retry-once';
}

/**
 * Code and message for an outcome, a dead letter or an HTTP answer. The message of an unknown error may quote the
 * document, so the text of its code stands in for it.
 */
export function describeFailure(error: unknown): { code: FailureCode; message: string } {
  if (!isFailure(error)) return { code: 'HANDLER_FAILED', message: failureCodes.HANDLER_FAILED.text };
  return { code: error.code, message: error.message };
}
