import type { ModelUsage } from './model-port.js';

// Beside the error, not in it: what happens next is the failure's class, and what it cost does not change that.
const billed = new WeakMap<Error, ModelUsage>();

/** Notes what a call cost that ended with an error. */
export function withUsage<E extends Error>(error: E, usage: ModelUsage | null): E {
  if (usage !== null) billed.set(error, usage);
  return error;
}

/** What the provider billed for the call that ended with this error; null when it did not say. */
export function usageOf(error: unknown): ModelUsage | null {
  return error instanceof Error ? (billed.get(error) ?? null) : null;
}
