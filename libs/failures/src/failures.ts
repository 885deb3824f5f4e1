import type { FailureCode, PoisonCode, RefusedCode, RetryCode, StopCode } from './codes.js';

// The message of a failure may be logged, stored and sent to clients: it never holds text of a document.

interface WithCause {
  cause?: unknown;
}

/** This message can never be handled: it is dead-lettered with its original bytes, and the next one is handled. */
export class PoisonMessage extends Error {
  override readonly name = 'PoisonMessage';

  constructor(
    readonly code: PoisonCode,
    message: string,
    options: WithCause = {},
  ) {
    super(message, options);
  }
}

/** A dependency of this message asked for a pause: it is tried again, other documents flow. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';
  readonly code: RetryCode;
  /** How long to wait at least, in milliseconds. */
  readonly afterMs: number;

  constructor(message: string, options: WithCause & { afterMs: number; code?: RetryCode }) {
    super(message, { cause: options.cause });
    this.afterMs = options.afterMs;
    this.code = options.code ?? 'RETRY_LATER';
  }
}

/** The dependencies that all documents share. A provider of models is none: its outage stops no other work. */
export type SharedDependency = 'kafka' | 'registry' | 'postgres' | 'object-store';

/** A shared dependency is down: intake pauses until it is back, and no attempt is burnt. */
export class DependencyUnavailable extends Error {
  override readonly name = 'DependencyUnavailable';
  readonly code: FailureCode = 'DEPENDENCY_UNAVAILABLE';

  constructor(
    readonly dependency: SharedDependency,
    message: string,
    options: WithCause = {},
  ) {
    super(message, options);
  }
}

/** Policy or a provider said no: the outcome is a refusal; never retried, never a dead letter. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** Who refused, when it was a provider of models. */
  readonly provider: string | null;

  constructor(
    readonly code: RefusedCode,
    message: string,
    options: WithCause & { provider?: string } = {},
  ) {
    super(message, { cause: options.cause });
    this.provider = options.provider ?? null;
  }
}

/** This process cannot go on: it commits nothing more, stops, and exits with a code other than zero. */
export class StopService extends Error {
  override readonly name = 'StopService';
  readonly code: StopCode;

  constructor(message: string, options: WithCause & { code?: StopCode } = {}) {
    super(message, { cause: options.cause });
    this.code = options.code ?? 'STOPPED';
  }
}

/** A failure that says what happens next. Anything else that is thrown is a bug. */
export type KnownFailure = PoisonMessage | RetryLater | DependencyUnavailable | Refused | StopService;
