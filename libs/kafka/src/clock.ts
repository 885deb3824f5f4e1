/** Time as a parameter, so that the runtime can be driven through hours in a test. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`; the returned function cancels. */
  after(ms: number, callback: () => void): () => void;
  /** Calls back after pending I/O had its turn. */
  soon(callback: () => void): void;
}

/** The process's clock. Its timers keep no process alive: sockets do. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
  soon: (callback) => void setImmediate(callback),
};
