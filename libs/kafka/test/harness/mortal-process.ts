import { Registry } from 'prom-client';
import type {
  BrokerListener,
  BrokerPort,
  BrokerRecord,
  CommitPosition,
  TopicPartition,
} from '../../src/broker-port.js';
import { createConsumerMetrics } from '../../src/consumer/consumer-metrics.js';
import { ConsumerRuntime } from '../../src/consumer/consumer-runtime.js';
import { consumerDefaults, type ConsumerSettings } from '../../src/consumer/consumer-settings.js';
import type { OwnExitNotice } from '../../src/consumer/launch.js';
import { TrialRoom } from '../../src/consumer/trial-room.js';
import type { IncomingRecord, SettledFailure } from '../../src/incoming-record.js';
import { MemoryBroker, settled, VirtualClock } from '../../src/testing/index.js';
import { CollectedLog } from './collected-log.js';

/** What a handler does, by the value of its record: takes that many milliseconds, or ends the process. */
export type Behaviour = `${number}` | 'kills' | 'kills when read' | 'kills later';

export interface MortalOptions {
  readonly settings?: Partial<ConsumerSettings>;
  /** What ends the process by itself, whatever it works on: after so many milliseconds. */
  readonly diesAfterMs?: number;
}

/** One consumer group over one broker in memory: it outlives the processes that are its only member. */
export class MortalGroup {
  readonly broker: MemoryBroker;
  readonly deadLetters: string[] = [];
  /** Of all its processes. */
  readonly log = new CollectedLog();
  readonly settledFailures: SettledFailure[] = [];
  /** By value of the record, how often a handler was started. */
  readonly starts = new Map<string, number>();

  constructor(readonly partitions: readonly TopicPartition[]) {
    this.broker = new MemoryBroker(partitions);
  }

  append(partition: TopicPartition, id: string, behaviour: Behaviour): void {
    this.broker.append(partition, { key: Buffer.from(id), value: Buffer.from(behaviour) });
  }

  /** Whether the group has committed all that there is. */
  get isDone(): boolean {
    return this.partitions.every((partition) => {
      const lane = `${partition.topic}/${partition.partition}`;
      return (this.broker.committed.get(lane) ?? 0) >= this.broker.endOf(partition);
    });
  }
}

/** A process that its handlers can end: from then on nothing of it happens any more. */
export class MortalProcess {
  readonly clock = new VirtualClock();
  isAlive = true;
  private readonly room = new TrialRoom();
  private readonly runtimes: ConsumerRuntime[];

  constructor(
    readonly run: string,
    private readonly groups: readonly MortalGroup[],
    ownExit: OwnExitNotice | undefined,
    private readonly options: MortalOptions = {},
  ) {
    this.runtimes = groups.map((group) => this.createRuntime(group, ownExit));
    if (options.diesAfterMs !== undefined) this.clock.after(options.diesAfterMs, () => this.die());
  }

  async start(): Promise<void> {
    for (const runtime of this.runtimes) await runtime.start();
  }

  /** Lets it work; false when it has ended by itself. */
  async live(ms: number): Promise<boolean> {
    for (let lived = 0; lived < ms && this.isAlive; lived += 10) {
      for (const { broker } of this.groups) if (this.isAlive) broker.deliver();
      await this.clock.advance(10);
    }
    return this.isAlive;
  }

  get suspects(): Promise<number> {
    return this.registry
      .getSingleMetricAsString('anabranch_suspect_records')
      .then((text) => Number(text.split(' ').at(-1)));
  }

  /** As the process that is gone: nothing that it still does has any effect. */
  die(): void {
    this.isAlive = false;
  }

  private readonly registry = new Registry();

  private createRuntime(group: MortalGroup, ownExit: OwnExitNotice | undefined): ConsumerRuntime {
    return new ConsumerRuntime({
      group: 'group',
      broker: this.brokerOf(group),
      settings: { ...consumerDefaults, ...this.options.settings },
      launch: { run: this.run, ownExit },
      trialRoom: this.room,
      decode: ({ topic, key, value }) => {
        if (String(value) === 'kills when read') this.die();
        if (!this.isAlive) return new Promise(() => {});
        return { event: String(value), key: `${topic}/${String(key)}` };
      },
      handlerOf: () => (record) => this.handle(group, record),
      sendDeadLetter: ({ key }: BrokerRecord) => {
        if (this.isAlive) group.deadLetters.push(String(key));
        return Promise.resolve();
      },
      onSettled: (_, failure) => {
        group.settledFailures.push(failure);
        return Promise.resolve();
      },
      onFatal: () => {},
      metrics: createConsumerMetrics(this.registry),
      random: () => 0.5,
      clock: this.clock,
      log: group.log,
    });
  }

  private handle(group: MortalGroup, { key, value }: IncomingRecord): Promise<void> {
    if (!this.isAlive) return new Promise(() => {});
    const id = String(key);
    group.starts.set(id, (group.starts.get(id) ?? 0) + 1);
    const behaviour = String(value) as Behaviour;
    if (behaviour === 'kills') this.die();
    if (behaviour === 'kills later') this.clock.after(500, () => this.die());
    if (!this.isAlive || behaviour === 'kills later') return new Promise(() => {});
    return new Promise((resolve) => this.clock.after(Number(behaviour), () => this.isAlive && resolve()));
  }

  private brokerOf({ broker }: MortalGroup): BrokerPort {
    return {
      fetchedAt: undefined,
      setTopics: () => {},
      start: (listener: BrokerListener) => broker.start(listener),
      pause: (partitions) => broker.pause(partitions),
      resume: (partitions) => broker.resume(partitions),
      commit: (positions: readonly CommitPosition[]) =>
        this.isAlive ? broker.commit(positions) : Promise.reject(new Error('the process is gone')),
      stop: () => settled(),
    };
  }
}
