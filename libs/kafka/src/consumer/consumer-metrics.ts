import type { FailureCode } from '@anabranch/failures';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { TopicPartition } from '../broker-port.js';
import { once } from '../metrics.js';

/** From a millisecond to ten minutes: a model may think that long. */
const secondsBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** How a try ended. `settle` = it will become a dead letter or a refusal. */
export type TryOutcome = 'done' | 'retry' | 'settle' | 'defer' | 'pause' | 'stop';

/** What a consumer's gauges read when they are scraped. */
export interface ConsumerSample {
  readonly inFlight: number;
  readonly pausedPartitions: number;
  readonly commitAgeMs: number;
  readonly intakeIsOpen: boolean;
  readonly partitions: readonly PartitionSample[];
}

export interface PartitionSample extends TopicPartition {
  readonly lag: number;
  readonly windowRecords: number;
  readonly uncarriedRecords: number;
}

export interface ConsumerMetrics {
  started(record: { topic: string }, times: { waitMs: number; ageMs: number }): void;
  ended(topic: string, outcome: TryOutcome, durationMs: number): void;
  deadLettered(topic: string, code: FailureCode): void;
  settlementFailed(topic: string): void;
  /** Where the gauges read from; one consumer per registry, the last one counts. */
  observe(sample: () => ConsumerSample): void;
}

/** The consumer's metrics in a service's registry. Never a key or an id as a label. */
export function createConsumerMetrics(registry: Registry): ConsumerMetrics {
  const tries = createTryMetrics(registry);
  return {
    started: (record, { waitMs, ageMs }) => {
      tries.queueWait.observe({ topic: record.topic }, Math.max(0, waitMs) / 1000);
      tries.eventAge.observe({ topic: record.topic }, Math.max(0, ageMs) / 1000);
    },
    ended: (topic, outcome, durationMs) => {
      tries.handled.inc({ topic, outcome });
      tries.handlerTime.observe({ topic }, durationMs / 1000);
    },
    deadLettered: (topic, code) => tries.deadLetters.inc({ topic, code }),
    settlementFailed: (topic) => tries.settlementFailures.inc({ topic }),
    observe: (sample) => registerGauges(registry, sample),
  };
}

function createTryMetrics(registry: Registry) {
  const registers = [registry];
  const seconds = (name: string, help: string) =>
    once(
      registry,
      name,
      () => new Histogram({ name, help, labelNames: ['topic'], buckets: secondsBuckets, registers }),
    );
  const count = (name: string, help: string, labelNames: string[]) =>
    once(registry, name, () => new Counter({ name, help, labelNames, registers }));
  return {
    handled: count('anabranch_records_handled_total', 'Tries of records, by how they ended.', ['topic', 'outcome']),
    handlerTime: seconds('anabranch_handler_seconds', 'Time in the handler, per try.'),
    queueWait: seconds('anabranch_queue_wait_seconds', 'From a record’s arrival in the process to a try of it.'),
    eventAge: seconds('anabranch_event_age_seconds', 'From a record’s timestamp to a try of it.'),
    deadLetters: count('anabranch_dead_letters_total', 'Records that became dead letters.', ['topic', 'code']),
    settlementFailures: count(
      'anabranch_settlement_failures_total',
      'Failed tries to send a dead letter or to publish its outcome; the record’s key waits meanwhile.',
      ['topic'],
    ),
  };
}

function registerGauges(registry: Registry, sample: () => ConsumerSample): void {
  const gauge = (name: string, help: string, read: (sample: ConsumerSample) => number) =>
    replace(registry, {
      name: `anabranch_${name}`,
      help,
      collect() {
        this.set(read(sample()));
      },
    });
  const perPartition = (name: string, help: string, read: (partition: PartitionSample) => number) =>
    replace(registry, {
      name: `anabranch_${name}`,
      help,
      labelNames: ['topic', 'partition'],
      collect() {
        // Partitions that moved away disappear from the page.
        this.reset();
        for (const partition of sample().partitions) {
          this.set({ topic: partition.topic, partition: String(partition.partition) }, read(partition));
        }
      },
    });
  gauge('records_in_flight', 'Handlers that run now.', ({ inFlight }) => inFlight);
  gauge('paused_partitions', 'Partitions whose fetching is paused.', ({ pausedPartitions }) => pausedPartitions);
  gauge(
    'commit_age_seconds',
    'How long finished records have waited for a commit.',
    ({ commitAgeMs }) => commitAgeMs / 1000,
  );
  gauge('intake_open', '0 while a shared dependency is down and intake is paused.', ({ intakeIsOpen }) =>
    Number(intakeIsOpen),
  );
  perPartition('consumer_lag', 'Records between the watermark and the end of the partition.', ({ lag }) => lag);
  perPartition('window_records', 'Unfinished records.', ({ windowRecords }) => windowRecords);
  perPartition(
    'uncarried_records',
    'Finished records above the watermark that the last commit had no room for: they come again after a crash.',
    ({ uncarriedRecords }) => uncarriedRecords,
  );
}

function replace(registry: Registry, configuration: ConstructorParameters<typeof Gauge<string>>[0]): void {
  registry.removeSingleMetric(configuration.name);
  new Gauge({ ...configuration, registers: [registry] });
}
