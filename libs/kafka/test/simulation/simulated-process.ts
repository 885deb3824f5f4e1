import { DependencyUnavailable, PoisonMessage, Refused, RetryLater, type StopService } from '@anabranch/failures';
import type { BrokerRecord } from '../../src/broker-port.js';
import type { Clock } from '../../src/clock.js';
import type { ConsumerMetrics } from '../../src/consumer/consumer-metrics.js';
import { ConsumerRuntime } from '../../src/consumer/consumer-runtime.js';
import { consumerDefaults } from '../../src/consumer/consumer-settings.js';
import type { DecodedRecord } from '../../src/consumer/intake.js';
import type { HandlerContext, IncomingRecord, SettledFailure } from '../../src/incoming-record.js';
import { silentLogger } from '../../src/logger.js';
import { mostTries } from './outside-ledger.js';
import type { PlannedRecord } from './schedule.js';
import { SimulatedClient, type Cluster } from './simulated-client.js';

/** What processes share besides the cluster. */
export interface World extends Cluster {
  readonly maxInFlight: number;
  readonly topicLimit: number;
  readonly allUseDependency: boolean;
  readonly maxRecords: number;
  readonly maxBytes: number;
  planOf(record: BrokerRecord): PlannedRecord;
  /** The process ended by itself. */
  onExit(process: SimulatedProcess, error: StopService): void;
}

export interface StopRequest {
  readonly deadlineMs: number;
  readonly isRemoved?: boolean;
  /** Nothing runs, so that there is nothing to wait for. */
  readonly isIdle?: boolean;
}

/** Nothing of the runtime depends on what its metrics do. */
const noMetrics = new Proxy({}, { get: () => () => {} }) as ConsumerMetrics;

/** The share of a stop's deadline that running handlers have, less what rounding takes. */
const drainShare = 0.69;

/** One process with one runtime: it can be killed, frozen and thawed, and be told to stop. */
export class SimulatedProcess {
  readonly client: SimulatedClient;
  readonly runtime: ConsumerRuntime;
  isAlive = true;
  isFrozen = false;
  private isThawing = false;
  isStopping = false;
  private stopOverdueAt = Number.POSITIVE_INFINITY;
  private readonly backlog: (() => void)[] = [];
  private readonly schemas = new Set(['known']);
  private readonly deadLettered = new Set<string>();
  private running = 0;
  private freezes = 0;

  constructor(
    readonly name: string,
    instanceId: string | undefined,
    private readonly world: World,
  ) {
    const run = (work: () => void) => this.run(work);
    this.client = new SimulatedClient({
      cluster: world,
      process: name,
      instanceId,
      run,
      isSilent: () => this.isFrozen,
    });
    this.runtime = new ConsumerRuntime({
      group: 'group',
      broker: this.client,
      topicLimits: new Map([['topic', world.topicLimit]]),
      settings: {
        ...consumerDefaults,
        maxInFlight: world.maxInFlight,
        partitionLimits: { maxRecords: world.maxRecords, maxBytes: world.maxBytes },
        retry: {
          ...consumerDefaults.retry,
          maxAttempts: mostTries.later,
          maxBugAttempts: mostTries.bug,
          maxAgeMs: 3_600_000,
          maxWaitMs: 4_000,
        },
        probes: { firstWaitMs: 500, maxWaitMs: 4_000 },
        ...(instanceId === undefined ? {} : { instanceId }),
      },
      decode: (record) => this.decode(record),
      handlerOf: () => (record, context) => this.handle(record, context),
      sendDeadLetter: (record) => this.sendDeadLetter(record),
      onSettled: (record, failure) => this.settle(record, failure),
      defer: (record) => this.defer(record),
      onFatal: (error) => this.exit(error),
      metrics: noMetrics,
      random: () => world.random.next(),
      clock: this.createClock(),
      log: silentLogger,
    });
    void this.runtime.start();
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
  stop({ deadlineMs, isRemoved = false, isIdle = false }: StopRequest, onStopped: () => void): void {
    if (!this.isAlive || this.isStopping) return;
    const { timeline, ledger } = this.world;
    this.isStopping = true;
    this.run(() => {
      const startedAt = timeline.now;
      const freezesBefore = this.isFrozen ? -1 : this.freezes;
      this.stopOverdueAt = startedAt + deadlineMs * drainShare;
      void this.runtime.stop(deadlineMs, { isRemoved }).then(() => {
        const tookMs = timeline.now - startedAt;
        // The leave is the client's part, which the simulated one does not hurry; a frozen process keeps no deadline.
        const mayTakeMs = (isIdle ? 0 : deadlineMs) + 2_000;
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
      soon: (callback) => void timeline.after(0, () => this.run(callback)),
    };
  }

  private after(ms: number, work: () => void): void {
    this.world.timeline.after(ms, () => this.run(work));
  }

  private handle(record: IncomingRecord, { signal, attempt, park }: HandlerContext): Promise<void> {
    const { ledger } = this.world;
    const plan = this.world.planOf(record);
    const tenure = this.client.tenureOf(record);
    const answer = Promise.withResolvers<void>();
    ledger.start(tenure, record, { process: this.name, attempt });
    ledger.inFlight(this.name, ++this.running);
    let isRunning = true;
    const end = (error: Error | undefined): void => {
      if (!isRunning) return;
      isRunning = false;
      this.running--;
      ledger.end(record, this.name);
      if (this.isAlive) ledger.told(tenure, record, signal);
      if (error !== undefined) return answer.reject(error);
      ledger.finish(tenure, record, 'handled');
      answer.resolve();
    };
    signal.addEventListener('abort', () => {
      if (!isRunning) return;
      ledger.abort(tenure, record, this.world.timeline.now >= this.stopOverdueAt);
      if (plan.heedsSignal) this.after(1, () => end(new Error('told to end')));
    });
    const conclude = () => end(this.failureOf(plan, attempt));
    const work = (): void => {
      if (plan.durationMs === 0) conclude();
      else this.after(this.world.random.between(0.5, 1) * plan.durationMs, conclude);
    };
    if (plan.parks) void this.parkFor(this.world.random.between(1, 800), park).then(work);
    else work();
    return answer.promise;
  }

  /** Meanwhile others have the slot. */
  private async parkFor(ms: number, park: HandlerContext['park']): Promise<void> {
    const wait = Promise.withResolvers<void>();
    this.after(ms, wait.resolve);
    this.running--;
    await park(wait.promise);
    this.world.ledger.inFlight(this.name, ++this.running);
  }

  private failureOf({ behaviour, usesDependency }: PlannedRecord, attempt: number): Error | undefined {
    if ((usesDependency || this.world.allUseDependency) && this.world.isOut('dependency'))
      return new DependencyUnavailable('postgres', 'down');
    const isLast = behaviour.endsWith('once') && attempt > 1;
    if (behaviour === 'succeeds' || isLast) return undefined;
    if (behaviour === 'is poison') return new PoisonMessage('CONTENT_MISSING', 'gone');
    if (behaviour === 'is refused') return new Refused('NO_CONTENT', 'empty');
    if (behaviour.startsWith('has a bug')) return new Error('a bug');
    if (behaviour.includes('far later')) return new RetryLater('busy', { afterMs: 60_000 });
    return new RetryLater('busy', { afterMs: this.world.random.integer(0, 500) });
  }

  private decode(record: BrokerRecord): DecodedRecord | Promise<unknown> {
    const { encoding, key, priority } = this.world.planOf(record);
    if (encoding === 'garbage') throw new PoisonMessage('DECODE_FAILED', 'garbage');
    const tenant = `tenant-${key % 2}`;
    if (this.schemas.has(encoding))
      return { event: String(record.value), key: `topic/${String(record.key)}`, tenant, priority };
    const answer = Promise.withResolvers<void>();
    const { random } = this.world;
    this.after(this.world.isOut('slow registry') ? random.between(500, 6_000) : random.between(1, 50), () => {
      if (this.world.isOut('registry')) return answer.reject(new DependencyUnavailable('registry', 'down'));
      if (encoding === 'unknown') return answer.reject(new PoisonMessage('UNKNOWN_SCHEMA_ID', 'unknown'));
      this.schemas.add(encoding);
      answer.resolve();
    });
    return answer.promise;
  }

  /** What cannot be decoded has no outcome: its dead letter is its end. */
  private async sendDeadLetter(record: BrokerRecord): Promise<void> {
    const { ledger } = this.world;
    const tenure = this.client.tenureOf(record);
    ledger.bury(record);
    await this.publish('dead letters');
    this.deadLettered.add(placeOf(record));
    const { encoding } = this.world.planOf(record);
    if (encoding === 'garbage' || encoding === 'unknown') ledger.finish(tenure, record, 'dead letter');
  }

  private async settle(record: IncomingRecord, { code }: SettledFailure): Promise<void> {
    const { ledger } = this.world;
    const tenure = this.client.tenureOf(record);
    const isRefusal = code === 'NO_CONTENT';
    if (!isRefusal && !this.deadLettered.has(placeOf(record))) {
      ledger.note('the dead letter comes first', `${placeOf(record)} has its outcome before`);
    }
    await this.publish('outcomes');
    ledger.finish(tenure, record, isRefusal ? 'refusal' : 'dead letter');
  }

  private async defer(record: IncomingRecord): Promise<void> {
    await this.publish('outcomes');
    this.world.ledger.finish(this.client.tenureOf(record), record, 'deferral');
  }

  /** It may have arrived although it is refused: a repeat is a duplicate. */
  private publish(what: 'dead letters' | 'outcomes'): Promise<void> {
    const answer = Promise.withResolvers<void>();
    const { random } = this.world;
    this.after(random.between(0.5, 60), () => {
      if (!this.world.isOut(what)) answer.resolve();
      else answer.reject(random.chance(0.5) ? new DependencyUnavailable('kafka', 'down') : new Error('refused'));
    });
    return answer.promise;
  }
}

function placeOf({ partition, offset }: BrokerRecord): string {
  return `${partition}@${offset}`;
}
