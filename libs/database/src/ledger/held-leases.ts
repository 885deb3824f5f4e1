import { setTimeout as delay } from 'node:timers/promises';
import { failureCodes, Refused } from '@anabranch/failures';
import { reach } from '@anabranch/failures/fail-points';
import type { Lease } from './leases.js';
import type { LedgerStore } from './ledger-store.js';

export interface HeldOptions {
  readonly store: Pick<LedgerStore, 'beat' | 'cancelled' | 'release'>;
  readonly beatMs: number;
  /** A beat that failed; the next one follows. */
  onFailed(error: unknown): void;
}

/** A lease that this process holds while it makes the call. */
interface Held extends Lease {
  /** Ends the call. */
  readonly cancel: AbortController;
}

/** Shows life for all calls under way, and ends those that nobody wants any more. */
export class HeldLeases {
  private readonly held = new Set<Held>();
  private isBeating = false;

  constructor(private readonly options: HeldOptions) {}

  get size(): number {
    return this.held.size;
  }

  /** Whether this process makes the call. */
  has(key: string): boolean {
    return [...this.held].some((lease) => lease.key === key);
  }

  /** Holds the lease while the call runs; gives it back when the call fails. */
  async during<T>(lease: Lease, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const held: Held = { ...lease, cancel: new AbortController() };
    this.held.add(held);
    if (!this.isBeating) void this.beat();
    try {
      return await call(held.cancel.signal);
    } catch (error) {
      reach('ledger.call-failed');
      // If it cannot be given back, it times out.
      await this.options.store.release(lease).catch((failure: unknown) => this.options.onFailed(failure));
      reach('ledger.released');
      throw error;
    } finally {
      this.held.delete(held);
    }
  }

  /** Ends all calls. */
  abort(reason: Error): void {
    for (const { cancel } of this.held) cancel.abort(reason);
  }

  private async beat(): Promise<void> {
    this.isBeating = true;
    while (this.held.size > 0) {
      await delay(this.options.beatMs, undefined, { ref: false });
      if (this.held.size > 0) await this.beatOnce();
    }
    this.isBeating = false;
  }

  private async beatOnce(): Promise<void> {
    const { store, onFailed } = this.options;
    try {
      await store.beat([...this.held].map(({ key, token }) => ({ key, token })));
      reach('ledger.beat');
      const cancelled = new Set(await store.cancelled([...this.held].map(({ key }) => key)));
      for (const { key, cancel } of this.held) if (cancelled.has(key)) cancel.abort(closed());
    } catch (error) {
      onFailed(error);
    }
  }
}

const closed = (): Refused => new Refused('JOB_CLOSED', failureCodes.JOB_CLOSED.text);
