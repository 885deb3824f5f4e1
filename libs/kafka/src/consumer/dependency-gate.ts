import type { SharedDependency } from '@anabranch/failures';
import type { Clock } from '../clock.js';
import type { IntakePause } from './intake-pause.js';
import type { Work } from './work.js';

export interface DependencyGateOptions {
  readonly pause: IntakePause;
  readonly clock: Clock;
  /** Tries one record at once, unless all slots are taken, or it is no longer ours. */
  readonly restart: (work: Work) => 'started' | 'full' | 'gone';
  /** The dependency is back: these may start again in their turn. */
  readonly release: (held: readonly Work[]) => void;
  /** The gate has just closed or opened. */
  readonly onChange: () => void;
}

/**
 * Keeps the records that met a shared dependency which is down, and lets one of them through as the probe: another one
 * might succeed without having touched the dependency.
 */
export class DependencyGate {
  private readonly held = new Set<Work>();
  private probe: Work | undefined;
  /** The wait is over, and no slot was free yet. */
  private isDue = false;

  constructor(private readonly options: DependencyGateOptions) {}

  get isOpen(): boolean {
    return this.options.pause.isOpen;
  }

  get cause(): IntakePause['cause'] {
    return this.options.pause.cause;
  }

  get isProbing(): boolean {
    return this.options.pause.isProbing;
  }

  hold(work: Work, dependency: SharedDependency): void {
    const { pause, clock, onChange } = this.options;
    this.held.add(work);
    const wasProbe = work === this.probe;
    const waitMs = wasProbe ? pause.probeFailed(dependency) : pause.close(dependency, clock.now());
    if (waitMs === undefined) return;
    this.probe = undefined;
    clock.after(waitMs, () => this.tryOne());
    if (!wasProbe) onChange();
  }

  /** A record ended otherwise than by the failure; if it was the probe, the dependency is back. */
  passed(work: Work): void {
    if (work === this.probe) this.open();
  }

  /** A probe that waits for a slot may have one now. */
  onSlotFreed(): void {
    if (this.isDue) this.tryOne();
  }

  private tryOne(): void {
    this.isDue = false;
    let isAnyFull = false;
    for (const work of this.held) {
      const restarted = this.options.restart(work);
      // Its topic may have a limit of its own: the next one is of another.
      if (restarted === 'full') isAnyFull = true;
      else this.held.delete(work);
      if (restarted !== 'started') continue;
      this.probe = work;
      return this.options.pause.beginProbe();
    }
    this.isDue = isAnyFull;
    // When none of them is ours any more, nothing says that the dependency is still down.
    if (!isAnyFull) this.open();
  }

  private open(): void {
    this.options.pause.open();
    this.probe = undefined;
    const released = [...this.held];
    this.held.clear();
    this.options.release(released);
    this.options.onChange();
  }
}
