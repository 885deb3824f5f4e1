import { reach } from '@anabranch/failures/fail-points';
import type { CommitPosition } from '../broker-port.js';
import type { Clock } from '../clock.js';
import type { PartitionEpoch, Progress } from './partition-epoch.js';

export interface CommitLoopOptions {
  /** The partitions that are owned at this moment. */
  readonly epochs: Iterable<PartitionEpoch>;
  readonly commit: (positions: readonly CommitPosition[]) => Promise<void>;
  readonly onFailed: (error: unknown) => void;
  readonly clock: Clock;
  readonly intervalMs: number;
}

interface DuePosition {
  readonly epoch: PartitionEpoch;
  readonly progress: Progress;
}

/**
 * Commits the watermarks, and with each what is finished above it: on an interval, and when somebody asks.
 *
 * Invariants: a position is committed only for a partition that is owned when the commit is sent, never lower than an
 * acknowledged one; one commit is outstanding at a time, so two can never arrive in the wrong order. A failed one is
 * not repeated: the next takes the watermarks of its own moment.
 */
export class CommitLoop {
  private outstanding: Promise<boolean> | undefined;
  /** What follows the outstanding one, for all who wait for it: one after the other they would delay a stop. */
  private following: PromiseWithResolvers<boolean> | undefined;
  private hasEnded = false;
  private cancelTimer: (() => void) | undefined;
  private lastCommitAt: number;

  constructor(private readonly options: CommitLoopOptions) {
    this.lastCommitAt = options.clock.now();
  }

  /** Whether there is more to say than the broker has acknowledged. */
  get isDue(): boolean {
    return this.owing().length > 0;
  }

  /** How long finished records have waited for a commit. */
  get ageMs(): number {
    return this.isDue ? this.options.clock.now() - this.lastCommitAt : 0;
  }

  start(): void {
    const { clock, intervalMs } = this.options;
    this.cancelTimer = clock.after(intervalMs, () => void this.flush().then(() => this.cancelTimer && this.start()));
  }

  stop(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }

  /** Sends nothing any more, also for those who wait. */
  end(): void {
    this.hasEnded = true;
    this.stop();
  }

  /**
   * Commits what is due now: false when that failed, never rejects. The commit is sent before this returns, unless one is
   * outstanding: then one follows that, also for whoever else asks meanwhile.
   */
  flush(): Promise<boolean> {
    if (this.outstanding === undefined) return this.sendDue();
    this.following ??= Promise.withResolvers<boolean>();
    return this.following.promise;
  }

  private async sendDue(): Promise<boolean> {
    if (this.hasEnded) return false;
    const due = this.owing().map(({ epoch, offset }) => ({ epoch, progress: epoch.progress(offset) }));
    if (due.length === 0) {
      this.lastCommitAt = this.options.clock.now();
      return true;
    }
    this.outstanding = this.send(due).finally(() => this.goOn());
    return this.outstanding;
  }

  /** In one step, so that whoever asks in a rebalance finds its commit sent. */
  private goOn(): void {
    const { following } = this;
    this.outstanding = undefined;
    this.following = undefined;
    following?.resolve(this.sendDue());
  }

  private owing(): { epoch: PartitionEpoch; offset: number }[] {
    const positions: { epoch: PartitionEpoch; offset: number }[] = [];
    for (const epoch of this.options.epochs) {
      const offset = epoch.due;
      if (offset !== undefined) positions.push({ epoch, offset });
    }
    return positions;
  }

  private async send(due: readonly DuePosition[]): Promise<boolean> {
    try {
      reach('consumer.before-commit');
      await this.options.commit(
        due.map(({ epoch: { topic, partition }, progress: { offset, metadata } }) => {
          const position = { topic, partition, offset };
          return metadata === '' ? position : { ...position, metadata };
        }),
      );
      reach('consumer.committed');
      for (const { epoch, progress } of due) epoch.acknowledge(progress);
      this.lastCommitAt = this.options.clock.now();
      return true;
    } catch (error) {
      this.options.onFailed(error);
      return false;
    }
  }
}
