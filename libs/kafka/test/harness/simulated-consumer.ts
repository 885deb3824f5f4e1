import { Registry } from 'prom-client';
import type { BrokerRecord, TopicPartition } from '../../src/broker-port.js';
import { createConsumerMetrics } from '../../src/consumer/consumer-metrics.js';
import { ConsumerRuntime, type ConsumerRuntimeOptions } from '../../src/consumer/consumer-runtime.js';
import { consumerDefaults, type ConsumerSettings } from '../../src/consumer/consumer-settings.js';
import type { HandlerContext, IncomingRecord, SettledFailure } from '../../src/incoming-record.js';
import { MemoryBroker, settled, VirtualClock } from '../../src/testing/index.js';
import { CollectedLog } from './collected-log.js';

/** A handler that runs until the test ends it. */
export interface RunningHandler {
  readonly record: IncomingRecord;
  readonly context: HandlerContext;
  finish(): Promise<void>;
  fail(error: unknown): Promise<void>;
}

/** The runtime over a broker in memory, in virtual time; every handler is ended by the test. */
export class SimulatedConsumer {
  readonly clock = new VirtualClock();
  readonly log = new CollectedLog();
  readonly metrics = new Registry();
  readonly running: RunningHandler[] = [];
  readonly deadLetters: BrokerRecord[] = [];
  readonly settledFailures: SettledFailure[] = [];
  readonly fatal: Error[] = [];
  readonly broker: MemoryBroker;
  readonly runtime: ConsumerRuntime;

  constructor(
    readonly partitions: readonly TopicPartition[],
    settings: Partial<ConsumerSettings> = {},
    options: Partial<ConsumerRuntimeOptions> = {},
  ) {
    this.broker = new MemoryBroker(partitions);
    this.runtime = new ConsumerRuntime({
      group: 'group',
      broker: this.broker,
      settings: { ...consumerDefaults, ...settings },
      decode: ({ topic, key, value }) => ({ event: String(value), key: `${topic}/${String(key)}` }),
      handlerOf: () => (record, context) => this.handle(record, context),
      sendDeadLetter: (record) => {
        this.deadLetters.push(record);
        return Promise.resolve();
      },
      onSettled: (_, failure) => {
        this.settledFailures.push(failure);
        return Promise.resolve();
      },
      onFatal: (error) => this.fatal.push(error),
      metrics: createConsumerMetrics(this.metrics),
      random: () => 0.5,
      clock: this.clock,
      log: this.log,
      ...options,
    });
  }

  static async start(...args: ConstructorParameters<typeof SimulatedConsumer>): Promise<SimulatedConsumer> {
    const consumer = new SimulatedConsumer(...args);
    await consumer.runtime.start();
    return consumer;
  }

  /** Appends records of these keys to a partition and delivers them. */
  async receive(partition: TopicPartition, ...keys: string[]): Promise<void> {
    for (const key of keys) this.broker.append(partition, { key: Buffer.from(key), value: Buffer.from(key) });
    this.broker.deliver();
    await settled();
  }

  /** The running handler of this key. */
  handlerOf(key: string): RunningHandler {
    const found = this.running.find(({ record }) => String(record.key) === key);
    if (found === undefined) throw new Error(`No handler runs for ${key}, only for ${this.runningKeys().join()}.`);
    return found;
  }

  runningKeys(): string[] {
    return this.running.map(({ record }) => String(record.key));
  }

  private handle(record: IncomingRecord, context: HandlerContext): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = (how: () => void): Promise<void> => {
      this.running.splice(this.running.indexOf(handler), 1);
      how();
      return settled();
    };
    const handler: RunningHandler = {
      record,
      context,
      finish: () => end(resolve),
      fail: (error) => end(() => reject(error as Error)),
    };
    this.running.push(handler);
    return promise;
  }
}
