import { setImmediate } from 'node:timers/promises';
import type { ModelPort, ModelReply, ModelRequest } from '../model-port.js';

/** What a replaying model does with one call: it replies, fails, or never ends until it is aborted. */
export type Replay = ModelReply | Error | 'hang';

/** A model in memory, for specs: it replays what it was given, in order, and keeps what it was asked. */
export interface ReplayingModel extends ModelPort {
  readonly asked: { readonly request: ModelRequest; readonly idempotencyKey: string }[];
}

/** A reply that is well but for what is given. */
export function replyOf(reply: Partial<ModelReply>): ModelReply {
  const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0 };
  return { text: '', finishReason: 'stop', usage, providerRequestId: 'call-1', latencyMs: 5, ...reply };
}

/**
 * @param replay what to do with a call, counted from 0; a list is used in order, and a call beyond it is a mistake of the
 *   spec
 */
export function createReplayingModel(
  replay: readonly Replay[] | ((request: ModelRequest, call: number) => Replay),
): ReplayingModel {
  const asked: ReplayingModel['asked'] = [];
  const pick = typeof replay === 'function' ? replay : (_: ModelRequest, call: number) => replay[call];
  return {
    asked,
    async generateObject(request, { signal, idempotencyKey }) {
      signal.throwIfAborted();
      const next = pick(request, asked.length);
      asked.push({ request, idempotencyKey });
      await setImmediate();
      if (next === 'hang') return untilAborted(signal);
      signal.throwIfAborted();
      if (next === undefined) throw new Error(`The model was asked ${asked.length} times; there is no such reply.`);
      if (next instanceof Error) throw next;
      return next;
    },
  };
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}
