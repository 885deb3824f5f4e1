import type { Clock } from '../clock.js';
import { Fifo } from '../fifo.js';
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
  /** How many records of a topic may be in flight, for topics that are limited. */
  readonly topicLimits?: ReadonlyMap<string, number> | undefined;
  readonly turnMs: number;
  readonly probes: ProbePolicy;
  readonly clock: Clock;
  readonly random: () => number;
}

interface Returning {
  readonly work: Work;
  readonly resume: () => void;
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
  /** Parked records whose wait is over, until a slot is free: by topic, because each may have a limit of its own. */
  private readonly returning = new Map<string, Fifo<Returning>>();
  private isHalted = false;
  /** Nothing starts before the next turn of the event loop. */
  private isYielding = false;
  private isTurnOpen = false;
  private turnStartedAt = 0;
  private onIdle: (() => void) | undefined;
  private caughtUp: PromiseWithResolvers<void> | undefined;

  constructor(private readonly options: DispatcherOptions) {
    this.queues = new KeyQueues(options.maxInFlight);
    for (const [topic, limit] of options.topicLimits ?? []) this.limit(topic, limit);
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

  /** How many records run, with a slot or without. */
  get started(): number {
    return this.queues.started;
  }

  /** When the oldest try that holds a slot began. */
  get oldestStartAt(): number | undefined {
    let oldest: number | undefined;
    for (const { startedAt } of this.queues.running()) {
      if (startedAt !== undefined) oldest = Math.min(startedAt, oldest ?? startedAt);
    }
    return oldest;
  }

  /** The shared dependency that keeps the intake closed. */
  get closedBy(): IntakePause['cause'] {
    return this.gate.cause;
  }

  /** Whether a record is tried to see if that dependency is back. */
  get isProbing(): boolean {
    return this.gate.isProbing;
  }

  /** At most so many of a topic's records are in flight at a time. */
  limit(topic: string, maxInFlight: number): void {
    this.queues.limit(topic, maxInFlight);
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
    if (this.queues.started > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  /** Resolves when all is started that may start; undefined when it is. */
  get whenCaughtUp(): Promise<void> | undefined {
    if (!this.isYielding) return undefined;
    this.caughtUp ??= Promise.withResolvers<void>();
    return this.caughtUp.promise;
  }

  /** Lends the slot of a running record to others until `promise` has settled. */
  async park<T>(work: Work, promise: Promise<T>): Promise<T> {
    if (!this.queues.park(work)) return promise;
    this.useFreeSlots();
    try {
      return await promise;
    } finally {
      await new Promise<void>((resume) => {
        const waiting = this.returning.get(work.topic) ?? new Fifo();
        waiting.push({ work, resume });
        this.returning.set(work.topic, waiting);
        this.resumeParked();
      });
    }
  }

  /** What has begun goes before what has not, also when nothing may start any more. */
  private resumeParked(): void {
    if (this.returning.size === 0) return;
    for (const [topic, waiting] of this.returning) {
      const next = waiting.peek();
      if (next === undefined || !this.queues.unpark(next.work)) continue;
      waiting.shift();
      next.work.startedAt = this.options.clock.now();
      // Behind the other topics, where this loop comes to it again.
      this.returning.delete(topic);
      if (waiting.size > 0) this.returning.set(topic, waiting);
      next.resume();
    }
  }

  /** Starts what may start, in turns that leave the event loop free for heartbeats. */
  dispatch(): void {
    const { clock, turnMs } = this.options;
    while (this.mayStart) {
      const work = this.queues.take();
      if (work === undefined) return;
      this.openTurn();
      this.execute(work);
      this.isYielding = clock.now() - this.turnStartedAt > turnMs;
    }
  }

  private get mayStart(): boolean {
    return !this.isHalted && !this.isYielding && this.gate.isOpen;
  }

  /** A turn lasts from its first start until pending I/O has been served. */
  private openTurn(): void {
    if (this.isTurnOpen) return;
    this.isTurnOpen = true;
    this.turnStartedAt = this.options.clock.now();
    this.options.clock.soon(() => this.closeTurn());
  }

  private closeTurn(): void {
    this.isTurnOpen = false;
    if (!this.isYielding) return;
    this.isYielding = false;
    this.dispatch();
    if (!this.isYielding) this.catchUp();
  }

  private catchUp(): void {
    this.caughtUp?.resolve();
    this.caughtUp = undefined;
  }

  private restart(work: Work): 'started' | 'full' | 'gone' {
    const restarted = this.isHalted ? 'gone' : this.queues.restart(work);
    if (restarted === 'started') this.execute(work);
    return restarted;
  }

  /** What runs comes before the probe of an outage, and that before what is new. */
  private useFreeSlots(): void {
    this.resumeParked();
    this.gate.onSlotFreed();
    this.dispatch();
  }

  private execute(work: Work): void {
    void this.options.run(work).then((ending) => this.onEnded(work, ending));
  }

  private onEnded(work: Work, ending: Ending): void {
    const isHeld = this.conclude(work, ending);
    if (!isHeld) this.gate.passed(work);
    this.useFreeSlots();
    if (this.queues.started === 0) this.onIdle?.();
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
