import { RetryLater } from '@anabranch/failures';
import { withUsage } from './billed.js';
import { completionBody, type OutputLimitField, readCompletion } from './chat-completion.js';
import { exchange, type Exchange } from './http-exchange.js';
import type { ModelPort, ModelReply, ModelRequest } from './model-port.js';
import { judgeProviderError, type ProviderError, statusWithin } from './provider-failure.js';
import { retryAfterMs } from './retry-after.js';

export interface OpenAiCompatibleOptions {
  /** Up to and without `/chat/completions`, such as `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Sent as a bearer token; servers of one's own may need none. */
  apiKey?: string;
  /** From the first byte sent to the last one received. */
  timeoutMs: number;
  /** `max_tokens` unless given. */
  outputLimitField?: OutputLimitField;
  log: { error(fields: object, message: string): void };
}

/** Far above any reply that a prompt of ours allows. */
const maxResponseBytes = 4_194_304;

type Unanswered = Omit<ModelReply, 'latencyMs'>;

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    // The error quotes the body, which may quote the document.
    return undefined;
  }
};

const filtered = (providerRequestId: string | null): Unanswered => ({
  text: '',
  finishReason: 'content-filter',
  usage: null,
  providerRequestId,
});

/** @throws what `judgeProviderError` makes of it, unless the provider's filter spoke */
function read({ status, headers, body }: Exchange): Unanswered {
  const requestId = headers.get('x-request-id');
  const content = parse(body);
  const judged = (error: Omit<ProviderError, 'afterMs'>): Unanswered => {
    const verdict = judgeProviderError({ ...error, afterMs: retryAfterMs(headers, Date.now()) });
    if (verdict === 'content-filter') return filtered(requestId);
    throw verdict;
  };
  // A completion is one whatever success it comes with; what is none is no fault of the request.
  if (status < 200 || status > 299) return judged({ status, body: content });
  const completion = readCompletion(content);
  if (completion.reply !== null) {
    return { ...completion.reply, providerRequestId: requestId ?? completion.reply.providerRequestId };
  }
  const { error, usage } = completion;
  try {
    if (error !== undefined && error !== null) return judged({ status: statusWithin(error), body: { error } });
    const message = `The provider answered with status ${status} and no completion.`;
    throw new RetryLater(message, { afterMs: 0, code: 'PROVIDER_UNAVAILABLE' });
  } catch (failure) {
    throw withUsage(failure as Error, usage);
  }
}

/**
 * A server that speaks OpenAI's chat completions, whoever runs it: the vendor, a gateway, vLLM, Ollama. Structured output
 * by `response_format`, never streamed. Neither the key nor anything of a body is logged or put into an error.
 */
export function createOpenAiCompatibleModel(options: OpenAiCompatibleOptions): ModelPort {
  const { apiKey, timeoutMs, outputLimitField = 'max_tokens', log } = options;
  const url = `${options.baseUrl.replace(/\/+$/, '')}/chat/completions`;
  const authorization: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };

  const report = (error: unknown, { provider, model }: ModelRequest): void => {
    if (!(error instanceof RetryLater) || (error.code !== 'PROVIDER_CONFIGURATION' && error.code !== 'QUOTA')) return;
    log.error({ provider, model, code: error.code, reason: error.message }, 'the provider of a model needs attention');
  };

  return {
    async generateObject(request, { signal, idempotencyKey }) {
      const startedAt = performance.now();
      const headers = { ...authorization, 'idempotency-key': idempotencyKey };
      const body = JSON.stringify(completionBody(request, outputLimitField));
      try {
        const response = await exchange({ url, headers, body, signal, timeoutMs, maxBytes: maxResponseBytes });
        return { ...read(response), latencyMs: Math.round(performance.now() - startedAt) };
      } catch (error) {
        report(error, request);
        throw error;
      }
    },
  };
}
