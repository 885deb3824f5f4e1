import { setTimeout as delay } from 'node:timers/promises';

/**
 * Awaits a condition outside this process (a row, a committed offset, an HTTP answer), asked again until it holds.
 * For something in this process await its event instead. Throws the last failure when `timeoutMs` is over.
 * @param check returns what was awaited; throws, or returns undefined or false, while it does not hold yet
 */
export async function eventually<T>(
  check: () => T | undefined | false | Promise<T | undefined | false>,
  { timeoutMs = 60_000, everyMs = 20 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const attempt = await Promise.resolve().then(check).then(asResult, asFailure);
    if (attempt.holds) return attempt.value;
    if (performance.now() >= deadline)
      throw new Error(`not within ${timeoutMs} ms: ${attempt.reason}`, { cause: attempt.cause });
    await delay(everyMs);
  }
}

type Attempt<T> = { holds: true; value: T } | { holds: false; reason: string; cause?: unknown };

function asResult<T>(value: T | undefined | false): Attempt<T> {
  return value === undefined || value === false
    ? { holds: false, reason: 'the condition was false' }
    : { holds: true, value };
}

function asFailure(cause: unknown): { holds: false; reason: string; cause: unknown } {
  return { holds: false, reason: cause instanceof Error ? cause.message : String(cause), cause };
}
