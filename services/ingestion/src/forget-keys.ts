import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@anabranch/service-host';

interface ForgetKeysOptions {
  /** Forgets the keys whose time is over. */
  sweep(): Promise<number>;
  everyMs: number;
  log: Logger;
}

/** Forgets idempotency keys, time and again, until the function that it returns is called. */
export function forgetKeys({ sweep, everyMs, log }: ForgetKeysOptions): () => Promise<void> {
  const stopping = new AbortController();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // A sweep that fails costs nothing but room, and the next one finds what it has left.
      await sweep().catch((error: unknown) => log.warn({ err: error }, 'idempotency keys could not be forgotten'));
      await delay(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  const running = run();
  return () => {
    stopping.abort();
    return running;
  };
}
