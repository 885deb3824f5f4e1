import type { ModelReply, ModelRequest } from '@anabranch/language-model';

/** A run of an analysis over a document. */
export interface ModelWork {
  readonly tenantId: string;
  readonly documentId: string;
  readonly revision: number;
  readonly jobId: string;
  readonly analysis: string;
  readonly run: number;
  /** Whether answers that were bought before this run are bought again: another purchase. */
  readonly isFresh: boolean;
}

/** How a run is done: plain JSON. What is not in it follows from the document and its tenant's rules. */
export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
  readonly promptVersion: string;
  /** Null leaves it to the provider. */
  readonly temperature: number | null;
  readonly chunkCharacters: number;
}

/** What holds for a run from its first call to its end. */
export interface ModelPin {
  readonly choice: ModelChoice;
  /** Part of what is bought: raised by a run that buys anew. */
  readonly purchase: number;
}

export interface AskOptions {
  readonly work: ModelWork;
  /** As far as the caller knows: the request follows from it. */
  readonly pin: ModelPin;
  /** Names the call within its run, such as `2.1`; the same whenever the run is taken up again. */
  readonly call: string;
  readonly signal: AbortSignal;
  /** Lends the slot of the record while the call waits for somebody else's answer. */
  park<T>(waiting: Promise<T>): Promise<T>;
}

/** What was answered, and whether this run paid for it. */
export interface ModelAnswer {
  readonly reply: ModelReply;
  /**
   * BOUGHT when the call was made for this run, also when the answer is read again after a crash: a run that is repeated
   * says the same about itself. REUSED when another one paid.
   */
  readonly purchase: 'BOUGHT' | 'REUSED';
}

/**
 * The one way to a model, through the ledger: what was answered before is not bought again. Every call of every analysis
 * passes here.
 */
export interface ModelCalls {
  /**
   * The answer to a request of this tenant: the one that is stored, or else a call's. Equal requests of a tenant have one
   * answer per purchase, for as long as the ledger keeps it (semantics §7). The first call of a run pins how the run is done.
   * @throws what `ModelPort.generateObject` throws; PinnedOtherwise when an earlier call of the run pinned something else;
   *   RetryLater when the call may not be made now; Refused when the run is not wanted any more; PoisonMessage
   *   UNKNOWN_OUTCOME; DependencyUnavailable; the signal's reason
   */
  ask(request: ModelRequest, options: AskOptions): Promise<ModelAnswer>;
}
