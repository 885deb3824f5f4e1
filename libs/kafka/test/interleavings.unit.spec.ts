import { describe, expect, it } from '@jest/globals';
import { DependencyUnavailable, PoisonMessage, RetryLater } from '@anabranch/failures';
import fc from 'fast-check';
import type { BrokerRecord, TopicPartition } from '../src/broker-port.js';
import type { DecodedRecord } from '../src/consumer/work.js';
import { settled } from '../src/testing/index.js';
import { Ledger } from './harness/ledger.js';
import { SimulatedConsumer } from './harness/simulated-consumer.js';

const partitions: TopicPartition[] = [0, 1, 2].map((partition) => ({ topic: 'topic', partition }));
const outcomes = ['success', 'success', 'success', 'later', 'bug', 'poison', 'down'] as const;

/** What happens, in any order. Numbers are taken modulo what there is to choose from. */
type Move =
  | { kind: 'append'; partition: number; key: number; schema: number }
  | { kind: 'invisible'; partition: number }
  | { kind: 'deliver' }
  | { kind: 'end'; handler: number; outcome: (typeof outcomes)[number] }
  | { kind: 'time'; ms: number }
  | { kind: 'rebalance' | 'expel'; owned: number }
  | { kind: 'registry'; answer: 'the schema' | 'unknown' | 'down' }
  | { kind: 'refuse commits' }
  | { kind: 'refuse dead letters'; isRefused: boolean };

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      partition: fc.nat(2),
      key: fc.nat(4),
      schema: fc.nat(3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('registry' as const),
      answer: fc.constantFrom('the schema' as const, 'unknown' as const, 'down' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('invisible' as const), partition: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.constant<Move>({ kind: 'deliver' }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      handler: fc.nat(20),
      outcome: fc.constantFrom(...outcomes),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(1, 250, 5_000, 60_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('rebalance' as const, 'expel' as const), owned: fc.nat(7) }),
  },
  { weight: 1, arbitrary: fc.constant<Move>({ kind: 'refuse commits' }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refuse dead letters' as const), isRefused: fc.boolean() }) },
);

/** One consumer whose every step is entered in a ledger. */
class Story {
  private readonly ledger = new Ledger();
  private readonly logs = new Map<number, BrokerRecord[]>(partitions.map(({ partition }) => [partition, []]));
  private readonly knownSchemas = new Set<string>(['schema-0']);
  private readonly requests: { schema: string; answer: PromiseWithResolvers<void> }[] = [];
  private areDeadLettersRefused = false;
  private readonly consumer: SimulatedConsumer;

  constructor(maxInFlight: number) {
    this.consumer = new SimulatedConsumer(
      partitions,
      { maxInFlight, partitionLimits: { maxRecords: 6, maxBytes: 10_000 } },
      { decode: (record) => this.decode(record), sendDeadLetter: (record) => this.sendDeadLetter(record) },
    );
    const { running, broker } = this.consumer;
    const push = running.push.bind(running);
    running.push = (handler) => {
      this.ledger.start(handler.record, handler.context);
      if (running.length >= maxInFlight) this.ledger.note(handler.record, 'starts above the limit');
      return push(handler);
    };
    const note = broker.commits.push.bind(broker.commits);
    broker.commits.push = (position) => {
      if (!broker.owns(position)) this.ledger.note(position, 'is committed without being owned');
      this.ledger.commit(position, this.logs.get(position.partition) ?? []);
      return note(position);
    };
  }

  async play(moves: readonly Move[]): Promise<void> {
    await this.consumer.runtime.start();
    for (const step of moves) {
      await this.make(step);
      await settled();
    }
  }

  /** When the faults have ended, everything comes to its end by itself. */
  async expectHappyEnd(): Promise<void> {
    const { broker, clock } = this.consumer;
    this.areDeadLettersRefused = false;
    broker.refuseCommits(0);
    for (let schema = 1; schema <= 3; schema++) this.knownSchemas.add(`schema-${schema}`);
    this.answerRegistry('the schema');
    this.changeOwnership(partitions, () => broker.rebalance(partitions));
    for (let round = 0; round < 400 && !this.isAllCommitted(); round++) {
      broker.deliver();
      await clock.advance(1_000);
      while (this.consumer.running.length > 0) await this.end(0, 'success');
    }
    expect(this.ledger.violations).toEqual([]);
    expect(this.isAllCommitted()).toBe(true);
    expect(this.consumer.fatal).toEqual([]);
  }

  private async make(step: Move): Promise<void> {
    const { broker, clock } = this.consumer;
    switch (step.kind) {
      case 'append':
        return this.append(step.partition, `key-${step.key}`, `schema-${step.schema}`);
      case 'registry':
        return this.answerRegistry(step.answer);
      case 'invisible':
        return broker.appendInvisible({ topic: 'topic', partition: step.partition }, 2);
      case 'deliver':
        return void broker.deliver();
      case 'end':
        return this.end(step.handler, step.outcome);
      case 'time':
        return clock.advance(step.ms);
      case 'refuse commits':
        return broker.refuseCommits(1);
      case 'refuse dead letters':
        this.areDeadLettersRefused = step.isRefused;
        return;
      default: {
        const owned = partitions.filter(({ partition }) => (step.owned >> partition) % 2 === 1);
        this.changeOwnership(owned, () => broker[step.kind as 'rebalance' | 'expel'](owned), step.kind === 'expel');
      }
    }
  }

  private changeOwnership(owned: TopicPartition[], change: () => void, isExpelled = false): void {
    change();
    for (const partition of partitions) {
      if (isExpelled || !owned.includes(partition)) this.ledger.lose(partition);
    }
  }

  private append(partition: number, key: string, schema: string): void {
    const record = { key: Buffer.from(key), value: Buffer.from(schema) };
    const offset = this.consumer.broker.append({ topic: 'topic', partition }, record);
    this.logs.get(partition)?.push({ topic: 'topic', partition, offset, timestamp: 0, headers: [], ...record });
  }

  private async end(index: number, outcome: (typeof outcomes)[number]): Promise<void> {
    const { running } = this.consumer;
    const handler = running[index % Math.max(1, running.length)];
    if (handler === undefined) return;
    this.ledger.end(handler.record);
    if (outcome !== 'success') return handler.fail(errors[outcome]());
    if (!handler.context.signal.aborted) this.ledger.finish(handler.record);
    await handler.finish();
  }

  private decode({ topic, key, value }: BrokerRecord): DecodedRecord | Promise<void> {
    const schema = String(value);
    if (this.knownSchemas.has(schema)) return { event: schema, key: `${topic}/${String(key)}` };
    const answer = Promise.withResolvers<void>();
    this.requests.push({ schema, answer });
    return answer.promise;
  }

  private answerRegistry(answered: 'the schema' | 'unknown' | 'down'): void {
    for (const { schema, answer } of this.requests.splice(0)) {
      if (answered === 'down') answer.reject(new DependencyUnavailable('registry', 'down'));
      else if (answered === 'unknown') answer.reject(new PoisonMessage('UNKNOWN_SCHEMA_ID', 'unknown'));
      else this.knownSchemas.add(schema);
      answer.resolve();
    }
  }

  /** An undecodable record has no outcome, so its dead letter is its end; so it is for the others here. */
  private sendDeadLetter(record: BrokerRecord): Promise<void> {
    if (this.areDeadLettersRefused) return Promise.reject(new Error('refused'));
    this.ledger.finish(record);
    return Promise.resolve();
  }

  private isAllCommitted(): boolean {
    return partitions.every((partition) => {
      const last = this.logs.get(partition.partition)?.at(-1)?.offset ?? -1;
      return this.ledger.committedOf(partition) > last;
    });
  }
}

const errors = {
  later: () => new RetryLater('busy', { afterMs: 0 }),
  bug: () => new Error('a bug'),
  poison: () => new PoisonMessage('CONTENT_MISSING', 'gone'),
  down: () => new DependencyUnavailable('postgres', 'down'),
};

describe('in every order of deliveries, ends, failures, rebalances and time', () => {
  it('no key overlaps or leaves its order, no commit passes an unfinished record, and everything ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(move, { maxLength: 120, size: 'max' }),
        async (maxInFlight, moves) => {
          const story = new Story(maxInFlight);
          await story.play(moves);
          await story.expectHappyEnd();
        },
      ),
      { numRuns: 500 },
    );
  }, 60_000);
});
