import type { StopService } from '@anabranch/failures';
import type { BrokerRecord } from '../../../src/broker-port.js';
import type { Clock } from '../../../src/clock.js';
import type { ConsumerMetrics } from '../../../src/consumer/consumer-metrics.js';
import { ConsumerRuntime } from '../../../src/consumer/consumer-runtime.js';
import type { Launch, OwnExitNotice } from '../../../src/consumer/launch.js';
import { consumerDefaults, type ConsumerSettings } from '../../../src/consumer/consumer-settings.js';
import { silentLogger } from '../../../src/logger.js';
import { SimulatedClient } from '../client/simulated-client.js';
import type { Tenure } from '../ledger/tenure.js';
import { TryAccount } from '../ledger/try-account.js';
import { topicsOf, type Schedule } from '../schedule.js';
import { probePolicy, retryPolicy } from './retry-policy.js';
import { never, oneByOne, severalAtOnce, watched } from './simulated-handler.js';
import { createPorts } from './simulated-ports.js';
import { createDecoder } from './simulated-registry.js';
import type { ProcessContext, World } from './world.js';

/** How a process is started. */
export interface Seating {
  readonly instanceId?: string | undefined;
  /** When the one before it ended by its own fault. */
  readonly ownExit?: OwnExitNotice | undefined;
}

export interface StopRequest {
  readonly deadlineMs: number;
  readonly isRemoved?: boolean;
}

/** Nothing of the runtime depends on what its metrics do. */
const noMetrics = new Proxy({}, { get: () => () => {} }) as ConsumerMetrics;

/** The share of a stop's deadline that running handlers have, less what rounding takes. */
const drainShare = 0.69;

/** Two answers that take the broker longest: to a commit that was under way, and to the last one. */
const mostCommitMs = 2_400;

/** One process with one runtime: it can be killed, frozen and thawed, and be told to stop. */
export class SimulatedProcess implements ProcessContext {
  readonly client: SimulatedClient;
  readonly runtime: ConsumerRuntime;
  readonly tries: TryAccount;
  isAlive = true;
  isFrozen = false;
  isStopping = false;
  private isThawing = false;
  private stopOverdueAt = Number.POSITIVE_INFINITY;
  private readonly backlog: (() => void)[] = [];
  private freezes = 0;

  readonly launch: Launch;
  private readonly startedAt: number;

  constructor(
    readonly name: string,
    readonly world: World,
    { instanceId, ownExit }: Seating,
  ) {
    const { schedule, timeline, ledger } = world;
    this.launch = { run: name.replace('-', ''), ownExit };
    this.startedAt = timeline.now;
    this.tries = new TryAccount({
      ...schedule,
      process: name,
      clock: timeline,
      leastProbeWaitMs: probePolicy.firstWaitMs / 2,
      note: (invariant, what) => ledger.note(invariant, what),
    });
    this.client = new SimulatedClient({
      cluster: world,
      process: name,
      instanceId,
      run: (work) => this.run(work),
      isSilent: () => this.isFrozen,
    });
    const { defer, ...ports } = createPorts(this);
    const { batchSize, canDefer } = schedule;
    const handler = watched(this, batchSize === 0 ? oneByOne(this) : severalAtOnce(this, batchSize));
    this.runtime = new ConsumerRuntime({
      group: 'group',
      launch: this.launch,
      broker: this.client,
      topicLimits: new Map(topicsOf(schedule).map((topic) => [topic, schedule.topicLimit])),
      settings: settingsOf(schedule, instanceId),
      decode: createDecoder(this),
      handlerOf: () => handler,
      ...ports,
      ...(canDefer ? { defer } : {}),
      onFatal: (error) => this.exit(error),
      metrics: noMetrics,
      random: () => world.random.next(),
      clock: this.createClock(),
      log: silentLogger,
    });
    void this.runtime.start();
  }

  get isStopOverdue(): boolean {
    return this.world.timeline.now >= this.stopOverdueAt;
  }

  readonly after = (ms: number, work: () => void): void => {
    this.world.timeline.after(ms, () => this.run(work));
  };

  tenureOf(record: BrokerRecord): Tenure {
    return this.client.tenureOf(record);
  }

  crash(): Promise<never> {
    if (this.isAlive) this.world.onOwnExit(this);
    this.kill();
    return never();
  }

  /** What its launcher tells the next process after such an end. */
  get notice(): OwnExitNotice {
    return { run: this.launch.run, reason: 'SIGABRT', ranMs: this.world.timeline.now - this.startedAt };
  }

  /** As SIGKILL does. */
  kill(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.client.close();
    this.world.group.silence(this.client);
  }

  /** As SIGSTOP does: what would happen in the process waits, and its heartbeats do. */
  freeze(): void {
    if (this.isFrozen || !this.isAlive) return;
    this.isFrozen = true;
    this.freezes++;
    this.world.group.silence(this.client);
  }

  /** What waited happens now, one after the other; what comes meanwhile waits behind it. */
  thaw(): void {
    if (!this.isFrozen || this.isThawing) return;
    this.isThawing = true;
    this.catchUp();
  }

  private catchUp(): void {
    const work = this.backlog.shift();
    if (work !== undefined && this.isAlive) {
      work();
      return void this.world.timeline.after(0.001, () => this.catchUp());
    }
    this.isFrozen = false;
    this.isThawing = false;
    this.client.wake();
  }

  /** As SIGTERM does; `onStopped` runs when the process has ended. One that is removed gives its seat up. */
  stop({ deadlineMs, isRemoved = false }: StopRequest, onStopped: () => void): void {
    if (!this.isAlive || this.isStopping) return;
    const { timeline, ledger } = this.world;
    this.isStopping = true;
    this.run(() => {
      const startedAt = timeline.now;
      // Then there is nothing to wait for but what the broker has to say.
      const { isIdle } = this.tries;
      const waitedBeforeMs = this.client.waitedForCommitsMs;
      const freezesBefore = this.isFrozen ? -1 : this.freezes;
      this.stopOverdueAt = startedAt + deadlineMs * drainShare;
      void this.runtime.stop(deadlineMs, { isRemoved }).then(() => {
        const tookMs = timeline.now - startedAt;
        // The leave is the client's part, which the simulated one does not hurry; a frozen process keeps no deadline.
        const commitMs = Math.min(deadlineMs, mostCommitMs, this.client.waitedForCommitsMs - waitedBeforeMs);
        const mayTakeMs = (isIdle ? commitMs : deadlineMs) + 2_000;
        if (tookMs > mayTakeMs && freezesBefore === this.freezes) {
          ledger.note('a stop keeps its deadline', `${this.name} took ${tookMs} ms`);
        }
        this.kill();
        onStopped();
      });
    });
  }

  private exit(error: StopService): void {
    this.world.onExit(this, error);
    this.kill();
  }

  private run(work: () => void): void {
    if (!this.isAlive) return;
    if (this.isFrozen) this.backlog.push(work);
    else work();
  }

  private createClock(): Clock {
    const { timeline } = this.world;
    return {
      now: () => timeline.now,
      after: (ms, callback) => {
        let isCancelled = false;
        const cancel = timeline.after(ms, () => this.run(() => isCancelled || callback()));
        return () => {
          isCancelled = true;
          cancel();
        };
      },
      soon: (callback) => this.after(0, callback),
    };
  }
}

function settingsOf(schedule: Schedule, instanceId: string | undefined): ConsumerSettings {
  const { maxInFlight, maxRecords, maxBytes, maxAgeMs, whenExpired } = schedule;
  return {
    ...consumerDefaults,
    maxInFlight,
    partitionLimits: { maxRecords, maxBytes },
    retry: { ...retryPolicy, maxAgeMs },
    probes: probePolicy,
    whenExpired,
    ...(instanceId === undefined ? {} : { instanceId }),
  };
}
