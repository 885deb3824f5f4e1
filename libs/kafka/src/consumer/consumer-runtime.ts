import { StopService } from '@anabranch/failures';
import type {
  BrokerBatch,
  BrokerListener,
  BrokerPort,
  StartPosition,
  StopOptions,
  TopicPartition,
} from '../broker-port.js';
import { within } from '../clock.js';
import { Assignment } from './assignment.js';
import { CommitLoop } from './commit-loop.js';
import type { ConsumerSettings } from './consumer-settings.js';
import {
  healthOf,
  progressOf,
  sampleOf,
  type ConsumerHealth,
  type ConsumerParts,
  type ConsumerState,
} from './consumer-view.js';
import { Dispatcher } from './dispatcher.js';
import { FlowControl } from './flow-control.js';
import { Intake, type DecodeRecord } from './intake.js';
import { laneOf, type PartitionEpoch } from './partition-epoch.js';
import { SuspectTrial, type TrialConditions } from './suspect-trial.js';
import { WorkRunner, type WorkRunnerOptions } from './work-runner.js';

export interface ConsumerRuntimeOptions extends Omit<WorkRunnerOptions, 'retry' | 'park'>, TrialConditions {
  readonly broker: BrokerPort;
  readonly decode: DecodeRecord;
  readonly settings: ConsumerSettings;
  /** How many records of a topic may be in flight, for topics that are limited. */
  readonly topicLimits?: ReadonlyMap<string, number>;
  /** The process cannot go on: called once, and nothing is started or committed afterwards. */
  readonly onFatal: (error: StopService) => void;
}

const reportFullEveryMs = 60_000;

/**
 * Key-ordered concurrency over a group's partitions. Batches are queued and the client is answered at once, so that
 * heartbeats flow and one slow record delays only its own key.
 */
export class ConsumerRuntime {
  private readonly assignment: Assignment;
  private readonly intakes = new Map<PartitionEpoch, Intake>();
  private readonly dispatcher: Dispatcher;
  private readonly flow: FlowControl;
  private readonly commits: CommitLoop;
  private readonly trial: SuspectTrial;
  private state: Exclude<ConsumerState, 'failed'> = 'starting';
  /** When it got there; undefined before the start. */
  private since: number | undefined;
  /** Nothing is started or committed any more, in whatever state. */
  private hasFailed = false;
  private stopping: Promise<void> | undefined;
  private readonly reportedFullAt = new WeakMap<PartitionEpoch, number>();

  constructor(private readonly options: ConsumerRuntimeOptions) {
    const { broker, clock, settings, log, random } = options;
    const runner = new WorkRunner({
      ...options,
      retry: settings.retry,
      park: (work, promise) => this.dispatcher.park(work, promise),
    });
    this.assignment = new Assignment(settings.partitionLimits);
    this.flow = new FlowControl(broker);
    this.dispatcher = new Dispatcher({
      ...settings,
      topicLimits: options.topicLimits,
      run: (work) => runner.run(work),
      onFinished: ({ epoch, record }) => {
        epoch.finish(record);
        this.trial.advance();
        if (epoch.wasFull) this.updateFlow(epoch);
      },
      onGateChange: () => this.onGateChange(),
      onFatal: (error) => this.fail(error),
      clock,
      random,
    });
    this.commits = new CommitLoop({
      epochs: this.assignment,
      commit: (positions) => broker.commit(positions),
      onFailed: (error) => log.warn({ err: error }, 'a commit failed; the next one covers it'),
      intervalMs: settings.commitIntervalMs,
      clock,
    });
    this.trial = new SuspectTrial({
      ...options,
      epochs: this.assignment,
      isRunning: () => this.dispatcher.started > 0,
      push: (epoch, records) => this.intakes.get(epoch)?.push(records),
      commit: () => this.commit(),
    });
  }

  /** Joins the group; resolves when the client has its first assignment. */
  async start(): Promise<void> {
    // A stop that came while the start was prepared is final.
    if (this.stopping !== undefined) return;
    this.options.metrics.observe(() => sampleOf(this.parts));
    this.enter('starting');
    this.commits.start();
    await this.options.broker.start(this.listener());
  }

  /**
   * Takes no new work, waits for what runs, commits and leaves, all within nine tenths of `deadlineMs`. Handlers that
   * still run after seven of them are told to end; what they do not finish comes again.
   */
  stop(deadlineMs: number, options?: StopOptions): Promise<void> {
    return (this.stopping ??= this.leave(deadlineMs, options));
  }

  private async leave(deadlineMs: number, options?: StopOptions): Promise<void> {
    const { clock } = this.options;
    const commitBy = clock.now() + deadlineMs * 0.8;
    this.enter('draining');
    this.dispatcher.halt();
    this.trial.stop();
    for (const epoch of this.assignment) this.updateFlow(epoch);
    await this.drain(deadlineMs);
    this.commits.stop();
    // What draining did not need is for the commit: without it, what was done is done again.
    await within(clock, commitBy - clock.now(), this.commitAll());
    this.assign([]);
    this.enter('stopped');
    await this.options.broker.stop(deadlineMs * 0.1, options);
  }

  /** Consumes these topics instead of those before. What it keeps in the next assignment is not interrupted. */
  setTopics(names: readonly string[], limits: ReadonlyMap<string, number>): void {
    for (const [topic, limit] of limits) this.dispatcher.limit(topic, limit);
    this.options.broker.setTopics(names);
  }

  /** Whether it takes work and does it. */
  health(): ConsumerHealth {
    return healthOf(this.parts, this.hasFailed ? 'failed' : this.state, this.since);
  }

  /** Whether it gets on with what it has; what does not asks for a restart. */
  progress(): ConsumerHealth {
    return progressOf(this.parts, this.hasFailed ? 'failed' : this.state, this.since);
  }

  private enter(state: Exclude<ConsumerState, 'failed'>): void {
    this.state = state;
    this.since = this.options.clock.now();
  }

  private get parts(): ConsumerParts {
    const { assignment, intakes, dispatcher, flow, commits, trial } = this;
    const { broker, clock, settings } = this.options;
    return { assignment, intakes, dispatcher, flow, commits, trial, broker, clock, limits: settings.progress };
  }

  private listener(): BrokerListener {
    return {
      onAssigned: (partitions) => {
        const { group, log } = this.options;
        log.info({ group, partitions: partitions.map(laneOf) }, 'partitions were assigned');
        this.assign(partitions);
        if (partitions.length === 0) this.trial.begin();
      },
      onPositions: (positions) => this.restore(positions),
      onRevoking: () => void this.commit(),
      onLost: () => this.lose(),
      onBatch: (batch) => this.take(batch),
      onFatal: (error) => this.fail(error),
    };
  }

  private assign(partitions: readonly TopicPartition[]): void {
    for (const epoch of this.assignment.assign(partitions).lost) {
      this.intakes.delete(epoch);
      this.dispatcher.drop(epoch.lane);
      this.flow.forget(epoch);
      this.trial.forget(epoch);
    }
    for (const epoch of this.assignment) {
      if (!this.intakes.has(epoch)) this.intakes.set(epoch, this.createIntake(epoch));
      this.flow.apply(epoch, this.shouldPause(epoch));
    }
    if (this.state === 'starting') this.enter('running');
    this.dispatcher.dispatch();
  }

  private restore(positions: readonly StartPosition[]): void {
    try {
      for (const position of positions) this.assignment.get(position)?.restore(position);
      this.trial.begin();
    } catch (error) {
      this.fail(error);
    }
  }

  private lose(): void {
    this.assign([]);
    if (this.state === 'running') this.enter('starting');
  }

  private take(batch: BrokerBatch): Promise<void> | undefined {
    const epoch = this.assignment.get(batch);
    if (epoch === undefined) return undefined;
    this.intakes.get(epoch)?.push(this.trial.admit(epoch, epoch.take(batch)));
    this.trial.advance();
    this.updateFlow(epoch);
    return this.dispatcher.whenCaughtUp;
  }

  private createIntake(epoch: PartitionEpoch): Intake {
    const { decode, clock, random, settings } = this.options;
    return new Intake(epoch, {
      decode,
      enqueue: (work) => this.dispatcher.add(work),
      onQueued: () => this.dispatcher.dispatch(),
      onStall: () => this.onStall(epoch),
      onFatal: (error) => this.fail(error),
      probes: settings.probes,
      clock,
      random,
    });
  }

  private onStall(epoch: PartitionEpoch): void {
    const { topic, partition } = epoch;
    const isWaiting = this.intakes.get(epoch)?.stall !== undefined;
    this.options.log.warn(
      { topic, partition },
      isWaiting ? 'the partition waits for the registry' : 'the partition flows on',
    );
    this.updateFlow(epoch);
  }

  private onGateChange(): void {
    const dependency = this.dispatcher.closedBy?.dependency;
    if (dependency === undefined) this.options.log.info({}, 'the dependency is back: intake resumes');
    else this.options.log.error({ dependency }, 'a shared dependency is down: intake pauses');
    for (const epoch of this.assignment) this.updateFlow(epoch);
  }

  private updateFlow(epoch: PartitionEpoch): void {
    this.flow.set(epoch, this.shouldPause(epoch));
    if (epoch.isFull) this.reportFull(epoch);
  }

  /** In a backlog partitions fill up all the time; what holds one up for long is worth a line now and then. */
  private reportFull(epoch: PartitionEpoch): void {
    const { clock, log } = this.options;
    if (clock.now() - (this.reportedFullAt.get(epoch) ?? -Infinity) < reportFullEveryMs) return;
    this.reportedFullAt.set(epoch, clock.now());
    const { topic, partition, window } = epoch;
    const fields = { topic, partition, oldestUnfinished: window.watermark, unfinished: window.size, span: window.span };
    log.info(fields, 'the partition has reached a bound: its fetching pauses');
  }

  private shouldPause(epoch: PartitionEpoch): boolean {
    const isStalled = this.intakes.get(epoch)?.stall !== undefined;
    const isClosed = this.state === 'draining' || this.hasFailed || this.dispatcher.closedBy !== undefined;
    return epoch.isFull || isStalled || isClosed;
  }

  private fail(error: unknown): void {
    if (this.hasFailed || this.state === 'stopped') return;
    this.hasFailed = true;
    this.dispatcher.halt();
    this.commits.end();
    this.trial.stop();
    const stop =
      error instanceof StopService ? error : new StopService(`The consumer failed: ${String(error)}`, { cause: error });
    this.options.onFatal(stop);
  }

  private async commit(): Promise<void> {
    if (!this.hasFailed) await this.commits.flush();
  }

  /** Handlers that did not end in time may do so while a commit is under way. One that fails is not repeated without news. */
  private async commitAll(): Promise<void> {
    while (!this.hasFailed && this.commits.isDue) {
      const before = this.finishedCount;
      const isAccepted = await this.commits.flush();
      if (!isAccepted && this.finishedCount === before) return;
    }
  }

  private get finishedCount(): number {
    return [...this.assignment].reduce((sum, { window }) => sum + window.finishedCount, 0);
  }

  private async drain(deadlineMs: number): Promise<void> {
    const { clock } = this.options;
    if (await within(clock, deadlineMs * 0.7, this.dispatcher.whenIdle())) return;
    for (const epoch of this.assignment) epoch.interrupt('the process stops');
    await within(clock, deadlineMs * 0.05, this.dispatcher.whenIdle());
  }
}
