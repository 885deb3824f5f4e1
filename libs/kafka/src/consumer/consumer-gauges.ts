import type { SharedDependency } from '@anabranch/failures';
import { Gauge, type Registry } from 'prom-client';
import type { TopicPartition } from '../broker-port.js';

/** What a consumer's gauges read when they are scraped. */
export interface ConsumerSample {
  readonly inFlight: number;
  /** How long the oldest try that runs has been running; 0 when none does. */
  readonly oldestInFlightMs: number;
  /** Since the last answered fetch. */
  readonly fetchAgeMs: number;
  readonly pausedPartitions: number;
  readonly commitAgeMs: number;
  readonly intakeIsOpen: boolean;
  /** Records that may have ended the process before, and are tried alone. */
  readonly suspects: number;
  readonly breakers: readonly BreakerSample[];
  readonly partitions: readonly PartitionSample[];
}

/** A shared dependency that is not well. */
export interface BreakerSample {
  readonly dependency: SharedDependency;
  /** Whether a record is being tried to see if it is back. */
  readonly isProbing: boolean;
}

export interface PartitionSample extends TopicPartition {
  readonly lag: number;
  readonly windowRecords: number;
  readonly uncarriedRecords: number;
}

const dependencies: readonly SharedDependency[] = ['kafka', 'registry', 'postgres', 'object-store'];
const breakerStates = { closed: 0, halfOpen: 1, open: 2 } as const;

/** Lets the registry's page read from here. Whatever read before is replaced. */
export function registerGauges(registry: Registry, sample: () => ConsumerSample): void {
  registerProcessGauges(registry, sample);
  registerPartitionGauges(registry, () => sample().partitions);
  replace(registry, {
    name: 'anabranch_breaker_state',
    help: 'Per shared dependency: 0 it is well, 1 it is tried whether it is back, 2 what needs it waits.',
    labelNames: ['dependency'],
    collect() {
      for (const dependency of dependencies) this.set({ dependency }, breakerStates.closed);
      for (const { dependency, isProbing } of sample().breakers) {
        this.set({ dependency }, isProbing ? breakerStates.halfOpen : breakerStates.open);
      }
    },
  });
}

function registerProcessGauges(registry: Registry, sample: () => ConsumerSample): void {
  const gauge = (name: string, help: string, read: (sample: ConsumerSample) => number) =>
    replace(registry, {
      name: `anabranch_${name}`,
      help,
      collect() {
        this.set(read(sample()));
      },
    });
  gauge('records_in_flight', 'Handlers that run now.', ({ inFlight }) => inFlight);
  gauge('oldest_in_flight_seconds', 'How long the oldest handler that runs has been running.', (now) => {
    return now.oldestInFlightMs / 1000;
  });
  gauge('fetch_age_seconds', 'Since the last answered fetch, also an empty one.', (now) => now.fetchAgeMs / 1000);
  gauge('paused_partitions', 'Partitions whose fetching is paused.', ({ pausedPartitions }) => pausedPartitions);
  gauge(
    'commit_age_seconds',
    'How long finished records have waited for a commit.',
    ({ commitAgeMs }) => commitAgeMs / 1000,
  );
  gauge('intake_open', '0 while a shared dependency is down and intake is paused.', ({ intakeIsOpen }) =>
    Number(intakeIsOpen),
  );
  gauge(
    'suspect_records',
    'Records that may have ended the process before: tried alone, while all others wait.',
    ({ suspects }) => suspects,
  );
}

function registerPartitionGauges(registry: Registry, sample: () => readonly PartitionSample[]): void {
  const gauge = (name: string, help: string, read: (partition: PartitionSample) => number) =>
    replace(registry, {
      name: `anabranch_${name}`,
      help,
      labelNames: ['topic', 'partition'],
      collect() {
        // Partitions that moved away disappear from the page.
        this.reset();
        for (const partition of sample()) {
          this.set({ topic: partition.topic, partition: String(partition.partition) }, read(partition));
        }
      },
    });
  gauge('consumer_lag', 'Records between the watermark and the end of the partition.', ({ lag }) => lag);
  gauge('window_records', 'Unfinished records.', ({ windowRecords }) => windowRecords);
  gauge(
    'uncarried_records',
    'Finished records above the watermark that the last commit had no room for: they come again after a crash.',
    ({ uncarriedRecords }) => uncarriedRecords,
  );
}

function replace(registry: Registry, configuration: ConstructorParameters<typeof Gauge<string>>[0]): void {
  registry.removeSingleMetric(configuration.name);
  new Gauge({ ...configuration, registers: [registry] });
}
