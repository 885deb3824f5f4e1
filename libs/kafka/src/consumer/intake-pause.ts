import type { SharedDependency } from '@anabranch/failures';
import { backoffMs } from './retry-schedule.js';

export interface ProbePolicy {
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
}

/**
 * Whether new work may start while a dependency that all documents share is down.
 *
 * Closed by the first failure, half-open after a wait: one record is tried, and its fate decides for all. Waits double
 * up to a limit. No attempt of a record is counted meanwhile.
 */
export class IntakePause {
  private state: 'open' | 'closed' | 'probing' = 'open';
  private dependency: SharedDependency | undefined;
  private failures = 0;
  private since = 0;

  constructor(
    private readonly policy: ProbePolicy,
    private readonly random: () => number,
  ) {}

  get isOpen(): boolean {
    return this.state === 'open';
  }

  /** Whether a record is tried to see if the dependency is back. */
  get isProbing(): boolean {
    return this.state === 'probing';
  }

  /** What is down and since when; undefined while work flows. */
  get cause(): { dependency: SharedDependency; since: number } | undefined {
    return this.dependency === undefined ? undefined : { dependency: this.dependency, since: this.since };
  }

  /** A record met the failure. Returns the wait before the probe when this one closed the intake, else undefined. */
  close(dependency: SharedDependency, now: number): number | undefined {
    if (this.state !== 'open') return undefined;
    this.since = now;
    this.failures = 0;
    return this.shut(dependency);
  }

  /** The wait is over: the next record that is tried is the probe. */
  beginProbe(): void {
    this.state = 'probing';
  }

  /** The probe met the failure, too. Returns the next wait. */
  probeFailed(dependency: SharedDependency): number {
    return this.shut(dependency);
  }

  open(): void {
    this.state = 'open';
    this.dependency = undefined;
  }

  private shut(dependency: SharedDependency): number {
    this.state = 'closed';
    this.dependency = dependency;
    this.failures++;
    // Half of the wait is fixed: a probe that comes at once would only repeat the failure.
    const boundMs = backoffMs(this.policy, this.failures);
    return boundMs / 2 + (this.random() * boundMs) / 2;
  }
}
