import type { ReleasedRuns, RunAddress } from '@anabranch/database/jobs';

/** Most runs of one release. */
const maxRelease = 1_000;
/** Runs that say nothing for so long no longer hold up the others, in milliseconds. */
const silenceMs = 120_000;

/**
 * How many of the runs that wait for one dependency are released at a time: one as a probe, then twice as many whenever all
 * went well, and one again as soon as one of them had to wait anew. So a provider that comes back does not meet a herd.
 */
export class ReleaseRamp {
  private size = 1;
  private released: readonly RunAddress[] = [];
  private releasedAt = 0;

  /** The runs of the last release, while it matters what becomes of them. */
  get outstanding(): readonly RunAddress[] {
    return this.released;
  }

  /** Says what became of the last release. Returns how many may be released now. */
  next({ deferredAgain, pending }: ReleasedRuns, nowMs: number): number {
    if (deferredAgain > 0) this.size = 1;
    else if (pending > 0 && nowMs - this.releasedAt < silenceMs) return 0;
    else if (this.released.length > 0) this.size = Math.min(this.size * 2, maxRelease);
    this.released = [];
    return this.size;
  }

  /** @param nowMs monotonic */
  note(released: readonly RunAddress[], nowMs: number): void {
    this.released = released;
    this.releasedAt = nowMs;
  }
}
