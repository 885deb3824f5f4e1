/** JSON, as it is sent and hashed. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = Readonly<Record<string, Json>>;

/** One turn of a conversation with a model. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** How a model is to answer; part of what is asked, and so of its identity. */
export interface ModelParameters {
  /** Most tokens that the reply may take. */
  readonly maxOutputTokens: number;
  /** Not sent unless given: some models accept no other than their own. */
  readonly temperature?: number;
}

/** The form of the reply. */
export interface ReplySchema {
  /** Letters, digits, `_` and `-`; at most 64. */
  readonly name: string;
  readonly jsonSchema: JsonObject;
}

/**
 * Everything that is asked of a model, and nothing else: plain JSON, so that equal questions have equal bytes in canonical
 * form, and an answer can be found by them.
 */
export interface ModelRequest {
  /** A name for who is asked; the address and the key are configuration and stand in no request. */
  readonly provider: string;
  readonly model: string;
  readonly parameters: ModelParameters;
  readonly messages: readonly ModelMessage[];
  readonly schema: ReplySchema;
}

/** Tokens, as the provider counts and bills them. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input tokens, those that the provider had cached. */
  readonly cachedInputTokens: number;
}

/**
 * Why the model stopped: it was done (`stop`), it ran out of room (`length`), it declined (`refusal`), or the provider's
 * filter stepped in (`content-filter`).
 */
export type FinishReason = 'stop' | 'length' | 'refusal' | 'content-filter';

/**
 * A provider's final word on a request: plain JSON, to be stored. A refusal and a reply that was cut are final, too: they
 * are billed, and asking again would buy the same once more.
 */
export interface ModelReply {
  /** What the model wrote; empty for a refusal. Untrusted, and it may quote the document: never logged. */
  readonly text: string;
  readonly finishReason: FinishReason;
  /** Null when the provider does not say. */
  readonly usage: ModelUsage | null;
  /** The provider's name for this call, for its support. */
  readonly providerRequestId: string | null;
  /** From the call to the whole reply. */
  readonly latencyMs: number;
}

export interface ModelCallOptions {
  readonly signal: AbortSignal;
  /** Repeats of one call carry one key, so that a provider which knows such keys answers twice and bills once. */
  readonly idempotencyKey: string;
}

/** A language model, whoever runs it. */
export interface ModelPort {
  /**
   * Asks once; whoever calls decides about asking again.
   * @throws RetryLater RETRY_LATER, QUOTA, PROVIDER_UNAVAILABLE, PROVIDER_CONFIGURATION: another time it may answer;
   *   PoisonMessage CONTEXT_EXCEEDED, MODEL_REQUEST_REJECTED: it will not, as the request stands; the signal's reason.
   *   What was billed all the same is known to `usageOf(error)`.
   */
  generateObject(request: ModelRequest, options: ModelCallOptions): Promise<ModelReply>;
}
