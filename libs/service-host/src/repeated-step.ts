import { setTimeout as delay } from 'node:timers/promises';
import { closeOrder, type ServiceContext } from './service.js';

/** What a service does by itself, time and again. */
export interface RepeatedStep {
  /** What the log calls it. */
  readonly name: string;
  /** The pause after each. */
  readonly everyMs: number;
  run(): Promise<unknown>;
}

/** Repeats a step until the service stops. One that fails is told once, and tried again. */
export function repeatStep({ log, onClose }: Pick<ServiceContext, 'log' | 'onClose'>, step: RepeatedStep): void {
  const { name, everyMs } = step;
  const stopping = new AbortController();
  let failure: string | null = null;

  async function attempt(): Promise<void> {
    try {
      await step.run();
      failure = null;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== failure) log.warn({ err: error, step: name }, 'a repeated step failed; it is tried again');
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
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  onClose(stop, { order: closeOrder.relays, name: `repeated step: ${name}` });
}
