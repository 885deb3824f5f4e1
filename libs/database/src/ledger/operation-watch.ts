import { setTimeout as delay } from 'node:timers/promises';
import type { Grant, StoredAnswer } from './claims.js';
import type { LedgerStore } from './ledger-store.js';
import type { LedgerRun } from './operation.js';

/** What waiting for somebody else's call ends with. `again`: nobody makes it any more, so claim it. */
export type Found = StoredAnswer | Grant | { readonly kind: 'again' };

export interface WatchOptions {
  readonly store: Pick<LedgerStore, 'read' | 'takeOver'>;
  /** How long a holder may show no life. */
  readonly leaseMs: number;
  /** Monotonic, in milliseconds: wall clocks decide nothing. */
  now(): number;
  /** Resolves after so many milliseconds, or when the signal aborts. */
  sleep?(ms: number, signal: AbortSignal): Promise<unknown>;
  /** Whether this very process makes the call: then it lives, although a blocked event loop may have kept it from saying so. */
  isHeld(): boolean;
  /** A look that failed; the next one follows. */
  onFailed(error: unknown): void;
}

interface Waiter {
  readonly run: LedgerRun;
  readonly found: PromiseWithResolvers<Found>;
}

interface Seen {
  readonly token: number;
  readonly beat: number;
  readonly at: number;
}

const unreferencedDelay = (ms: number, signal: AbortSignal): Promise<unknown> =>
  delay(ms, undefined, { signal, ref: false }).catch(() => undefined);

/**
 * Waits for one operation on behalf of everybody in this process, until its answer is there, or until its holder has shown
 * no life for `leaseMs` of this process's own clock (semantics §7). Time in which this process stood still does not count: its
 * holder may have stood still as well, with the machine of both, and say so in a moment.
 */
export class OperationWatch {
  private readonly waiters = new Set<Waiter>();
  private wake = Promise.withResolvers<void>();
  private isLooking = false;

  constructor(
    private readonly key: string,
    private readonly options: WatchOptions,
    private readonly onEmpty: () => void,
  ) {}

  /** Rejects with the signal's reason, or with the failure of a call of this process. */
  wait(run: LedgerRun, seen: Omit<Seen, 'at'>, signal: AbortSignal): Promise<Found> {
    const waiter: Waiter = { run, found: Promise.withResolvers<Found>() };
    const leave = (): void => this.end(waiter, () => waiter.found.reject(signal.reason as Error));
    this.waiters.add(waiter);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    if (!this.isLooking) void this.look({ ...seen, at: this.options.now() });
    return waiter.found.promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Something has happened: looks at once. */
  lookNow(): void {
    this.wake.resolve();
  }

  /** The answer is here. */
  answered(answer: StoredAnswer): void {
    for (const waiter of this.waiters) this.end(waiter, () => waiter.found.resolve(answer));
  }

  /** Nobody makes the call any more: everybody claims anew. */
  again(): void {
    for (const waiter of this.waiters) this.end(waiter, () => waiter.found.resolve({ kind: 'again' }));
  }

  /** The call was made in this process and failed: to repeat it for each who waited would only repeat the failure. */
  failed(error: unknown): void {
    for (const waiter of this.waiters) this.end(waiter, () => waiter.found.reject(error as Error));
  }

  private end(waiter: Waiter, how: () => void): void {
    if (!this.waiters.delete(waiter)) return;
    how();
    if (this.waiters.size > 0) return;
    this.wake.resolve();
    this.onEmpty();
  }

  private async look(first: Seen): Promise<void> {
    const { leaseMs, now } = this.options;
    this.isLooking = true;
    let seen = first;
    while (this.waiters.size > 0) {
      const due = seen.at + leaseMs;
      await this.pause(due - now());
      try {
        seen = await this.lookOnce(seen, Math.min(due, now()));
      } catch (error) {
        this.options.onFailed(error);
        seen = { ...seen, at: now() };
      }
    }
    this.isLooking = false;
  }

  private async pause(ms: number): Promise<void> {
    const { sleep = unreferencedDelay } = this.options;
    const stop = new AbortController();
    await Promise.race([sleep(Math.max(ms, 1), stop.signal), this.wake.promise]);
    stop.abort();
    this.wake = Promise.withResolvers<void>();
  }

  /** @param due when the look was to begin, on this process's clock */
  private async lookOnce(seen: Seen, due: number): Promise<Seen> {
    const { store, leaseMs, now, isHeld } = this.options;
    const state = await store.read(this.key);
    const stoodStill = now() - due > leaseMs / 3;
    if (state?.answer) {
      this.answered(state.answer);
      return seen;
    }
    if (state?.state === 'unknown') {
      this.again();
      return seen;
    }
    if (state === undefined || state.state === 'free') {
      this.hand({ kind: 'again' });
      return { token: 0, beat: 0, at: now() };
    }
    const isUnchanged = state.token === seen.token && state.beat === seen.beat;
    if (!isUnchanged) return { token: state.token, beat: state.beat, at: now() };
    if (isHeld() || stoodStill) return { ...seen, at: now() };
    if (now() - seen.at < leaseMs) return seen;
    await this.takeOver(seen);
    return { ...seen, at: now() };
  }

  private async takeOver({ token, beat }: Seen): Promise<void> {
    const [waiter] = this.waiters;
    if (waiter === undefined) return;
    const grant = await this.options.store.takeOver({ key: this.key, token, beat }, waiter.run);
    if (grant !== null) this.hand(grant);
  }

  /** One of those who wait goes on with it. One that left meanwhile leaves the lease to time out. */
  private hand(found: Found): void {
    const [waiter] = this.waiters;
    if (waiter !== undefined) this.end(waiter, () => waiter.found.resolve(found));
  }
}
