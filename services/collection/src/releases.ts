import type { ReleasedRuns, RunAddress } from '@anabranch/database/jobs';
import { ReleaseRamp } from './release-ramp.js';

export interface ReleasePorts {
  /** How many runs could be released now, by what they wait for. */
  due(): Promise<ReadonlyMap<string, number>>;
  release(dependency: string, limit: number): Promise<readonly RunAddress[]>;
  /** What became of runs that were released. */
  follow(runs: readonly RunAddress[]): Promise<ReleasedRuns>;
  /** Monotonic, in milliseconds. */
  now(): number;
}

/** Releases deferred runs, each dependency at a pace of its own (semantics §6). */
export class Releases {
  private readonly ramps = new Map<string, ReleaseRamp>();

  constructor(private readonly ports: ReleasePorts) {}

  /** One look. Returns how many runs were released. */
  async check(): Promise<number> {
    const due = await this.ports.due();
    for (const dependency of this.ramps.keys()) if (!due.has(dependency)) this.ramps.delete(dependency);
    let count = 0;
    for (const dependency of due.keys()) count += await this.releaseSome(dependency);
    return count;
  }

  private async releaseSome(dependency: string): Promise<number> {
    const { release, follow, now } = this.ports;
    const ramp = this.ramps.get(dependency) ?? new ReleaseRamp();
    this.ramps.set(dependency, ramp);
    const before = ramp.outstanding.length === 0 ? nothing : await follow(ramp.outstanding);
    const limit = ramp.next(before, now());
    if (limit === 0) return 0;
    const released = await release(dependency, limit);
    ramp.note(released, now());
    return released.length;
  }
}

const nothing: ReleasedRuns = { deferredAgain: 0, pending: 0 };
