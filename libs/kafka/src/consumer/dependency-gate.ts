import type { SharedDependency } from '@anabranch/failures';
import type { Clock } from '../clock.js';
import type { IntakePause } from './intake-pause.js';
import type { Work } from './work.js';

export interface DependencyGateOptions {
  readonly pause: IntakePause;
  readonly clock: Clock;
  /** Tries one record at once; false when it is no longer ours. */
  readonly restart: (work: Work) => boolean;
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

  constructor(private readonly options: DependencyGateOptions) {}

  get isOpen(): boolean {
    return this.options.pause.isOpen;
  }

  get cause(): IntakePause['cause'] {
    return this.options.pause.cause;
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

  private tryOne(): void {
    this.options.pause.beginProbe();
    for (const work of this.held) {
      this.held.delete(work);
      this.probe = work;
      if (this.options.restart(work)) return;
    }
    // None of them is ours any more, so nothing says that the dependency is still down.
    this.open();
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
