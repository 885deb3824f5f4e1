import type { Clock } from '../clock.js';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that passes when a test says so. */
export class VirtualClock implements Clock {
  private time: number;
  private readonly timers = new Set<Timer>();

  constructor(startAt = 0) {
    this.time = startAt;
  }

  now(): number {
    return this.time;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.time + ms, callback };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  soon(callback: () => void): void {
    this.after(0, callback);
  }

  /** Lets time pass; before every timer, and at the end, all promises that can settle have settled. */
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    await settled();
    for (let next = this.nextDue(until); next !== undefined; next = this.nextDue(until)) {
      this.timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.callback();
      await settled();
    }
    this.time = until;
  }

  private nextDue(until: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.timers) {
      if (timer.at <= until && (first === undefined || timer.at < first.at)) first = timer;
    }
    return first;
  }
}

/** Resolves when all promises that can settle without a timer or I/O have settled. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
