import type { Clock } from '../clock.js';

/** Waits for the end of something, but not longer than `ms`; some of kafkajs' promises never settle. */
export function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    const end = () => {
      cancel();
      resolve();
    };
    work.then(end, end);
  });
}
