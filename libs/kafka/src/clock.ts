/** Time as a parameter, so that the runtime can be driven through hours in a test. */
export interface Clock {
  /** Milliseconds since the epoch. Never goes back, and never jumps. */
  now(): number;
  /** Calls back once after `ms`; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
  /** Calls back after pending I/O had its turn. */
  soon(callback: () => void): void;
}

/**
 * The process's clock: the time at its start, and what has passed since. Whoever sets the clock of the machine must not make
 * an hour out of a second, which a busy consumer would be ended for. Its timers keep no process alive: sockets do.
 */
export const systemClock: Clock = {
  now: () => Math.floor(performance.timeOrigin + performance.now()),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
  soon: (callback) => void setImmediate(callback),
};

/**
 * Waits for the end of work, however it ends, but not longer than `ms`: some of kafkajs' promises never settle. Whether it
 * ended in time.
 */
export function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(false));
    const end = () => {
      cancel();
      resolve(true);
    };
    work.then(end, end);
  });
}
