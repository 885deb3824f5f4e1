import { setTimeout as delay } from 'node:timers/promises';

export interface SettlementWatch {
  /**
   * Resolves with true when the job is settled; with false when it is not, after `ms`, when the signal comes first, or at
   * once when too many wait already. It never rejects: who waits for a result loses nothing but the wait.
   */
  wait(jobId: string, options: { ms: number; signal: AbortSignal }): Promise<boolean>;
}

export interface WatchOptions {
  /** Which of these jobs are settled. May reject: then it is asked again. */
  settledOf(jobIds: readonly string[]): Promise<readonly string[]>;
  /** Ends all waits, when the process stops. */
  signal: AbortSignal;
  /** Most who wait at a time. */
  maxWaiting?: number;
  pause?: () => Promise<unknown>;
}

const everyMs = 50;

/** One question for all who wait, and none while nobody does. */
export function createSettlementWatch(options: WatchOptions): SettlementWatch {
  const { settledOf, signal: stopped, maxWaiting = 500, pause = () => delay(everyMs) } = options;
  const waiting = new Map<string, Set<() => void>>();
  let count = 0;
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    while (waiting.size > 0) {
      // A database that does not answer has told nobody anything: they wait on.
      const settled = await settledOf([...waiting.keys()]).catch(() => []);
      for (const jobId of settled) waiting.get(jobId)?.forEach((tell) => tell());
      if (waiting.size > 0) await pause();
    }
    isLooking = false;
  }

  return {
    wait: async (jobId, { ms, signal }) => {
      if (count >= maxWaiting || stopped.aborted) return false;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const tell = (): void => resolve(true);
      const end = (): void => resolve(false);
      const timer = setTimeout(end, ms);
      const signals = [signal, stopped];
      for (const one of signals) one.addEventListener('abort', end, { once: true });
      const others = waiting.get(jobId) ?? new Set();
      waiting.set(jobId, others.add(tell));
      count += 1;
      void look();
      const isSettled = await promise;
      count -= 1;
      clearTimeout(timer);
      for (const one of signals) one.removeEventListener('abort', end);
      others.delete(tell);
      if (others.size === 0) waiting.delete(jobId);
      return isSettled;
    },
  };
}
