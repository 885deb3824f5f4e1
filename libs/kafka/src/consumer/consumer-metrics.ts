import type { FailureCode } from '@anabranch/failures';
import { Counter, type Registry } from 'prom-client';
import { once } from '../metrics.js';
import { registerGauges, type ConsumerSample } from './consumer-gauges.js';
import { createTallyCounter, createTallyHistogram, type Tally } from './tallies.js';

/** From a millisecond to ten minutes: a model may think that long. */
const secondsBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const attemptsBuckets = [1, 2, 3, 5, 10];

/** How a try may end. `settle` = it will become a dead letter or a refusal. */
const tryOutcomes = ['done', 'retry', 'settle', 'defer', 'pause', 'stop'] as const;
export type TryOutcome = (typeof tryOutcomes)[number];
/** Those after which a record is not tried again. */
const lastOutcomes: ReadonlySet<TryOutcome> = new Set(['done', 'settle', 'defer']);

/** One try of a record that has ended. */
export interface EndedTry {
  readonly outcome: TryOutcome;
  readonly durationMs: number;
  /** 1 for the first one. */
  readonly attempt: number;
}

export interface ConsumerMetrics {
  started(topic: string, waitMs: number, ageMs: number): void;
  ended(topic: string, ended: EndedTry): void;
  deadLettered(topic: string, code: FailureCode): void;
  settlementFailed(topic: string): void;
  /** Where the gauges read from; one consumer per registry, the last one counts. */
  observe(sample: () => ConsumerSample): void;
}

/** The consumer's metrics in a service's registry. Never a key or an id as a label. */
export function createConsumerMetrics(registry: Registry): ConsumerMetrics {
  const tallyOf = createTopicTallies(registry);
  const registers = [registry];
  const count = (name: string, help: string, labelNames: string[]) =>
    once(registry, name, () => new Counter({ name, help, labelNames, registers }));
  const deadLetters = count('anabranch_dead_letters_total', 'Records that became dead letters.', ['topic', 'code']);
  const settlementFailures = count(
    'anabranch_settlement_failures_total',
    'Failed tries to send a dead letter or to publish its outcome; the record’s key waits meanwhile.',
    ['topic'],
  );
  return {
    started: (topic, waitMs, ageMs) => {
      const { queueWait, eventAge } = tallyOf(topic);
      queueWait.add(Math.max(0, waitMs) / 1000);
      eventAge.add(Math.max(0, ageMs) / 1000);
    },
    ended: (topic, { outcome, durationMs, attempt }) => {
      const { handlerTime, attempts, outcomes } = tallyOf(topic);
      handlerTime.add(durationMs / 1000);
      outcomes[outcome]++;
      if (lastOutcomes.has(outcome)) attempts.add(attempt);
    },
    deadLettered: (topic, code) => deadLetters.inc({ topic, code }),
    settlementFailed: (topic) => settlementFailures.inc({ topic }),
    observe: (sample) => registerGauges(registry, sample),
  };
}

/** All that is counted for every record of a topic. */
interface TopicTallies {
  readonly queueWait: Tally;
  readonly eventAge: Tally;
  readonly handlerTime: Tally;
  readonly attempts: Tally;
  readonly outcomes: Record<TryOutcome, number>;
}

function createTopicTallies(registry: Registry): (topic: string) => TopicTallies {
  const histogram = (name: string, help: string, buckets = secondsBuckets) =>
    once(registry, name, () => createTallyHistogram(registry, { name, help, buckets }));
  const queueWait = histogram('anabranch_queue_wait_seconds', 'From a record’s arrival in the process to a try of it.');
  const eventAge = histogram('anabranch_event_age_seconds', 'From a record’s timestamp to a try of it.');
  const handlerTime = histogram('anabranch_handler_seconds', 'Time in the handler, per try.');
  const attempts = histogram('anabranch_record_attempts', 'Tries that a record took until its end.', attemptsBuckets);
  const handled = {
    name: 'anabranch_records_handled_total',
    help: 'Tries of records, by how they ended.',
    outcomes: tryOutcomes,
  };
  const outcomes = once(registry, handled.name, () => createTallyCounter(registry, handled));
  const tallies = new Map<string, TopicTallies>();
  return (topic) => {
    const known = tallies.get(topic);
    if (known !== undefined) return known;
    const fresh = {
      queueWait: queueWait.of(topic),
      eventAge: eventAge.of(topic),
      handlerTime: handlerTime.of(topic),
      attempts: attempts.of(topic),
      outcomes: outcomes.of(topic),
    };
    tallies.set(topic, fresh);
    return fresh;
  };
}
