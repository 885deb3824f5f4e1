import { setTimeout as delay } from 'node:timers/promises';

/**
 * Asks until the answer is not null. For what cannot announce itself: another program's port or file.
 * @template T
 * @param {() => Promise<T | null> | T | null} ask
 * @param {{ signal: AbortSignal, timeoutMs: number, what: string }} options
 * @returns {Promise<T>}
 */
export async function waitFor(ask, { signal, timeoutMs, what }) {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    signal.throwIfAborted();
    if (Date.now() > until) throw new Error(`${what} took longer than ${timeoutMs / 1000} s`);
    await delay(50, undefined, { signal });
  }
}

/**
 * @param {string} url
 * @returns {Promise<true | null>} true when it answers 200
 */
export async function answersOk(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok || null;
  } catch {
    return null;
  }
}
