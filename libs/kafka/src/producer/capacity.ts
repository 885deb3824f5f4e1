import { Fifo } from '../fifo.js';
import type { BatchLimits } from './send-lane.js';

interface Waiter {
  readonly bytes: number;
  readonly begin: () => void;
}

/** Bounds what waits for the broker: during an outage callers wait here, first come first served, instead of piling up. */
export class Capacity {
  private records = 0;
  private bytes = 0;
  private readonly waiters = new Fifo<Waiter>();

  constructor(private readonly limits: BatchLimits) {}

  /**
   * Sends as soon as there is room; something larger than all of it goes when nothing else is there. `send` is called in
   * the order of the calls of this method: at once, or while room is given back.
   */
  async hold(bytes: number, send: () => Promise<void>): Promise<void> {
    const sent = Promise.withResolvers<void>();
    const begin = () => {
      this.records++;
      this.bytes += bytes;
      sent.resolve(send());
    };
    if (this.waiters.size === 0 && this.fits(bytes)) begin();
    else this.waiters.push({ bytes, begin });
    try {
      await sent.promise;
    } finally {
      this.giveBack(bytes);
    }
  }

  private giveBack(bytes: number): void {
    this.records--;
    this.bytes -= bytes;
    for (let next = this.waiters.peek(); next !== undefined && this.fits(next.bytes); next = this.waiters.peek()) {
      this.waiters.shift();
      next.begin();
    }
  }

  private fits(bytes: number): boolean {
    if (this.records === 0) return true;
    return this.records < this.limits.maxRecords && this.bytes + bytes <= this.limits.maxBytes;
  }
}
