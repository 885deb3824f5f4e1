import { setTimeout as delay } from 'node:timers/promises';
import { DependencyUnavailable, failureCodes, PoisonMessage, Refused, RetryLater } from '@anabranch/failures';
import { reach } from '@anabranch/failures/fail-points';
import type { ClaimAnswer, Grant, StoredAnswer } from './claims.js';
import { HeldLeases } from './held-leases.js';
import type { Lease } from './leases.js';
import type { LedgerStore } from './ledger-store.js';
import { OperationWatch, type Found } from './operation-watch.js';
import type { Operation } from './operation.js';
import { PinnedOtherwise } from './pins.js';

/** How an operation is bought. */
export interface Purchase {
  /** Makes the call; what it resolves to is stored. The signal ends it when nobody wants the answer any more. */
  call(signal: AbortSignal): Promise<string>;
  /** Ends the waiting of this caller; a call that was made goes on, and its answer is kept: it is paid for. */
  readonly signal: AbortSignal;
  /** Lends the caller's slot while somebody else's call is waited for. */
  park<T>(waiting: Promise<T>): Promise<T>;
}

/** What was bought before is not bought again: the gate before money is spent (semantics §7). */
export interface Ledger {
  /**
   * The answer of an operation: the stored one, or that of a call which is made now, by this process or another.
   * @throws what the call throws; Refused when the run is not wanted any more; PinnedOtherwise when it was begun with
   *   another pin; RetryLater when the call may not be made now; PoisonMessage UNKNOWN_OUTCOME; DependencyUnavailable; the
   *   signal's reason
   */
  perform(operation: Operation, purchase: Purchase): Promise<StoredAnswer>;
  /** Somebody in another process has stored an answer that was waited for. */
  onAnswered(key: string): void;
  /** Ends the calls under way and gives their leases back. */
  stop(): Promise<void>;
}

export interface LedgerOptions {
  readonly store: LedgerStore;
  /** How long the holder of a lease may show no life before it is taken over, in milliseconds. */
  readonly leaseMs: number;
  /** What to do where a call may have been made whose answer nobody has (semantics §7). */
  readonly onUnknownOutcome: 'repeat' | 'fail';
  /** Monotonic, in milliseconds. */
  now(): number;
  readonly log: { warn(fields: object, message: string): void };
  /** Told how each claim was answered. */
  onClaim?(kind: ClaimAnswer['kind'] | 'taken-over'): void;
}

const storeRetryMs = 500;
const stopWithinMs = 2_000;

/** The ledger of this process. */
export function createLedger(options: LedgerOptions): Ledger {
  return new ProcessLedger(options);
}

class ProcessLedger implements Ledger {
  private readonly held: HeldLeases;
  private readonly watches = new Map<string, OperationWatch>();
  private readonly stopping = new AbortController();

  constructor(private readonly options: LedgerOptions) {
    const { store, leaseMs } = options;
    this.held = new HeldLeases({ store, beatMs: leaseMs / 3, onFailed: (error) => this.onFailed(error) });
  }

  async perform(operation: Operation, purchase: Purchase): Promise<StoredAnswer> {
    for (;;) {
      purchase.signal.throwIfAborted();
      const found = await this.claim(operation, purchase);
      if (found.kind === 'answered') return found;
      if (found.kind === 'granted') return this.onGrant(operation, found, purchase);
    }
  }

  onAnswered(key: string): void {
    this.watches.get(key)?.lookNow();
  }

  async stop(): Promise<void> {
    const { now } = this.options;
    const reason = new Error('The process stops.');
    this.stopping.abort(reason);
    this.held.abort(reason);
    const deadline = now() + stopWithinMs;
    while (this.held.size > 0 && now() < deadline) await delay(10);
  }

  private async claim(operation: Operation, { signal, park }: Purchase): Promise<Found> {
    const { store, onClaim } = this.options;
    reach('ledger.before-claim');
    const answer = await store.claim(operation);
    onClaim?.(answer.kind);
    switch (answer.kind) {
      case 'granted':
      case 'answered':
        return answer;
      case 'not-wanted':
        throw answer.refusal;
      case 'pinned-otherwise':
        reach('ledger.pinned-otherwise');
        throw new PinnedOtherwise(answer.pin);
      case 'not-now':
        throw new RetryLater(`The call may not be made now: ${answer.reason}.`, { afterMs: answer.afterMs });
      case 'unknown':
        throw unknownOutcome();
      case 'in-flight':
        if (answer.isOwn && !this.held.has(operation.key)) return this.takeOwn(operation, answer);
        reach('ledger.waiting');
        return park(this.watchOf(operation.key).wait(operation.run, answer, signal));
    }
  }

  private async onGrant(operation: Operation, grant: Grant, purchase: Purchase): Promise<StoredAnswer> {
    if (grant.isTakenOver) {
      this.options.onClaim?.('taken-over');
      if (this.options.onUnknownOutcome === 'fail') await this.failUnknown({ key: operation.key, token: grant.token });
    }
    reach(grant.isTakenOver ? 'ledger.taken-over' : 'ledger.granted');
    return untilAborted(this.buy(operation, grant, purchase.call), purchase.signal);
  }

  /**
   * A lease of ours that we know nothing of: the connection broke between its commit and its answer. If nobody had it
   * before, no call was made.
   */
  private async takeOwn({ key, run }: Operation, { token, beat }: { token: number; beat: number }): Promise<Found> {
    const grant = await this.options.store.takeOver({ key, token, beat }, run);
    return grant === null ? { kind: 'again' } : { ...grant, isTakenOver: token > 1 };
  }

  private async failUnknown(lease: Lease): Promise<never> {
    await this.options.store.markUnknown(lease);
    const error = unknownOutcome();
    this.endWaiting(lease.key, error);
    throw error;
  }

  private async buy(operation: Operation, { token }: Grant, call: Purchase['call']): Promise<StoredAnswer> {
    const { key } = operation;
    try {
      const lease = { key, token };
      const answer = await this.held.during(lease, async (signal) => {
        const given = await call(signal);
        reach('ledger.answered');
        return this.keep(operation, given);
      });
      reach('ledger.stored');
      this.watches.get(key)?.answered(answer);
      return answer;
    } catch (error) {
      this.endWaiting(key, error);
      throw error;
    }
  }

  /** An answer is paid for: while the database does not take it, it is kept and offered again. */
  private async keep({ key, run }: Operation, answer: string): Promise<StoredAnswer> {
    for (;;) {
      try {
        return await this.options.store.store({ key, run, answer });
      } catch (error) {
        if (!(error instanceof DependencyUnavailable) || this.stopping.signal.aborted) throw error;
        this.onFailed(error);
        await delay(storeRetryMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }

  /** A call that was ended because nobody wanted it any more says nothing to whoever came meanwhile. */
  private endWaiting(key: string, error: unknown): void {
    const isUnwanted = error instanceof Refused && error.code === 'JOB_CLOSED';
    if (isUnwanted) this.watches.get(key)?.again();
    else this.watches.get(key)?.failed(error);
  }

  private watchOf(key: string): OperationWatch {
    const known = this.watches.get(key);
    if (known !== undefined) return known;
    const { store, leaseMs, now } = this.options;
    const onFailed = (error: unknown): void => this.onFailed(error);
    const isHeld = (): boolean => this.held.has(key);
    const onEmpty = (): void => void this.watches.delete(key);
    const watch = new OperationWatch(key, { store, leaseMs, now, isHeld, onFailed }, onEmpty);
    this.watches.set(key, watch);
    return watch;
  }

  private onFailed(error: unknown): void {
    this.options.log.warn({ err: error }, 'the ledger did not answer; it is asked again');
  }
}

const unknownOutcome = (): PoisonMessage => new PoisonMessage('UNKNOWN_OUTCOME', failureCodes.UNKNOWN_OUTCOME.text);

/** Rejects with the signal's reason when it aborts; the work goes on. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
