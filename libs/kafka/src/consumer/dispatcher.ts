import type { Clock } from '../clock.js';
import { DependencyGate } from './dependency-gate.js';
import { IntakePause, type ProbePolicy } from './intake-pause.js';
import { KeyQueues } from './key-queues.js';
import type { Ending } from './next-step.js';
import type { Work } from './work.js';

export interface DispatcherOptions {
  /** Tries one record; never rejects. */
  readonly run: (work: Work) => Promise<Ending>;
  /** The record is finished, in an epoch that is still current. */
  readonly onFinished: (work: Work) => void;
  /** The intake has just closed or opened. */
  readonly onGateChange: () => void;
  readonly onFatal: (error: unknown) => void;
  readonly maxInFlight: number;
  readonly turnMs: number;
  readonly probes: ProbePolicy;
  readonly clock: Clock;
  readonly random: () => number;
}

/**
 * Starts queued records and decides what becomes of them.
 *
 * Invariants: a record's end in an epoch that is over changes nothing but its key, which becomes free; while the gate is
 * closed nothing starts but the probe.
 */
export class Dispatcher {
  private readonly queues: KeyQueues<Work>;
  private readonly gate: DependencyGate;
  private isHalted = false;
  private isYielding = false;
  private turnStartedAt = 0;
  private onIdle: (() => void) | undefined;

  constructor(private readonly options: DispatcherOptions) {
    this.queues = new KeyQueues(options.maxInFlight);
    this.gate = new DependencyGate({
      pause: new IntakePause(options.probes, options.random),
      clock: options.clock,
      restart: (work) => this.restart(work),
      release: (held) => held.forEach((work) => this.queues.wake(work)),
      onChange: () => {
        options.onGateChange();
        this.dispatch();
      },
    });
  }

  get inFlight(): number {
    return this.queues.inFlight;
  }

  /** The shared dependency that keeps the intake closed. */
  get closedBy(): IntakePause['cause'] {
    return this.gate.cause;
  }

  /** Queues a record; {@link dispatch} starts it. */
  add(work: Work): void {
    this.queues.push(work);
  }

  /** The partition is no longer ours: forgets what of it has not started. */
  drop(lane: string): void {
    this.queues.drop(lane);
  }

  /** Nothing starts any more; what runs may end. */
  halt(): void {
    this.isHalted = true;
  }

  /** Resolves when nothing runs. */
  async whenIdle(): Promise<void> {
    if (this.inFlight > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  /** Starts what may start, in turns that leave the event loop free for heartbeats. */
  dispatch(): void {
    const { clock, turnMs } = this.options;
    while (this.mayStart) {
      const work = this.queues.take();
      if (work === undefined) return;
      void this.execute(work);
      if (clock.now() - this.turnStartedAt > turnMs) this.yieldTurn();
    }
  }

  private get mayStart(): boolean {
    return !this.isHalted && !this.isYielding && this.gate.isOpen;
  }

  private yieldTurn(): void {
    this.isYielding = true;
    this.options.clock.soon(() => {
      this.isYielding = false;
      this.turnStartedAt = this.options.clock.now();
      this.dispatch();
    });
  }

  private restart(work: Work): boolean {
    if (this.isHalted || !this.queues.restart(work)) return false;
    void this.execute(work);
    return true;
  }

  private async execute(work: Work): Promise<void> {
    const ending = await this.options.run(work);
    const isHeld = this.conclude(work, ending);
    if (!isHeld) this.gate.passed(work);
    this.dispatch();
    if (this.inFlight === 0) this.onIdle?.();
  }

  /** Whether the record waits at the gate. */
  private conclude(work: Work, ending: Ending): boolean {
    if (ending.kind === 'stop') this.options.onFatal(ending.error);
    if (!work.epoch.isCurrent || ending.kind === 'stop' || ending.kind === 'interrupted') {
      // Frees the key and nothing else: the record stays unfinished, and comes again.
      this.queues.finish(work);
    } else if (ending.kind === 'done') {
      this.queues.finish(work);
      this.options.onFinished(work);
    } else if (ending.kind === 'retry') {
      this.queues.wait(work);
      this.wakeAfter(ending.afterMs, work);
    } else {
      this.queues.wait(work);
      this.gate.hold(work, ending.dependency);
      return true;
    }
    return false;
  }

  private wakeAfter(ms: number, work: Work): void {
    this.options.clock.after(ms, () => {
      this.queues.wake(work);
      this.dispatch();
    });
  }
}
