import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@anabranch/service-host';

export interface RepeatedOptions {
  readonly everyMs: number;
  readonly log: Logger;
  /** What the log calls it. */
  readonly name: string;
}

/** A step that is done again and again until it is stopped. */
export interface Repeated {
  stop(): Promise<void>;
}

/** Repeats a step, with a pause after each. A step that fails is told once, and tried again. */
export function repeat(step: () => Promise<unknown>, { everyMs, log, name }: RepeatedOptions): Repeated {
  const stopping = new AbortController();
  let failure: string | null = null;

  async function attempt(): Promise<void> {
    try {
      await step();
      failure = null;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== failure) log.warn({ err: error, step: name }, 'a timer failed; it tries again');
      failure = reason;
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await attempt();
      await delay(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
