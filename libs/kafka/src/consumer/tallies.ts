import type { Metric, MetricType, Registry } from 'prom-client';

// Metrics for what happens to every record: an observation is an addition. prom-client's own sorts and joins the labels on each
// call, and four of them cost more than all else that the runtime does for a record. The page is the same.

export interface TallyOptions {
  readonly name: string;
  readonly help: string;
}

/** What was observed for one topic; to be kept by whoever observes often. */
export interface Tally {
  add(value: number): void;
}

/** A histogram per topic. `buckets` are upper bounds, rising. */
export interface TallyHistogram {
  of(topic: string): Tally;
}

/** A counter per topic and outcome; whoever counts adds to the record. */
export interface TallyCounter<Outcome extends string> {
  of(topic: string): Record<Outcome, number>;
}

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** Registers a histogram with the label `topic`. */
export function createTallyHistogram(
  registry: Registry,
  { name, help, buckets }: TallyOptions & { readonly buckets: readonly number[] },
): TallyHistogram & Metric {
  const tallies = new Map<string, BucketTally>();
  return register(registry, {
    name,
    help,
    type: 'histogram',
    samples: () => [...tallies].flatMap(([topic, tally]) => samplesOf(name, topic, tally)),
    reset: () => tallies.forEach((tally) => tally.reset()),
    of: (topic: string) => found(tallies, topic, () => new BucketTally(buckets)),
  });
}

/** Registers a counter with the labels `topic` and `outcome`. */
export function createTallyCounter<Outcome extends string>(
  registry: Registry,
  { name, help, outcomes }: TallyOptions & { readonly outcomes: readonly Outcome[] },
): TallyCounter<Outcome> & Metric {
  const tallies = new Map<string, Record<Outcome, number>>();
  const zero = () => Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  return register(registry, {
    name,
    help,
    type: 'counter',
    samples: () =>
      [...tallies].flatMap(([topic, counts]) =>
        outcomes.map((outcome) => ({ labels: { topic, outcome }, value: counts[outcome] })),
      ),
    reset: () => tallies.forEach((counts) => Object.assign(counts, zero())),
    of: (topic: string) => found(tallies, topic, zero),
  });
}

interface Source extends TallyOptions {
  readonly type: 'histogram' | 'counter';
  readonly samples: () => Sample[];
  readonly reset: () => void;
}

/** What a registry uses of a metric is its name, `get` and `reset`; its type asks for one of prom-client's classes. */
function register<S extends Source>(registry: Registry, source: S): S & Metric {
  const { name, help, type, samples } = source;
  const get = () =>
    Promise.resolve({ name, help, type: type as unknown as MetricType, aggregator: 'sum', values: samples() });
  const metric = { ...source, get } as unknown as S & Metric;
  registry.registerMetric(metric);
  return metric;
}

function found<T>(map: Map<string, T>, topic: string, create: () => T): T {
  const value = map.get(topic) ?? create();
  map.set(topic, value);
  return value;
}

class BucketTally implements Tally {
  /** How many values lay in each bucket, not cumulated; the last one is for those above all bounds. */
  readonly counts: number[];
  sum = 0;

  constructor(readonly buckets: readonly number[]) {
    this.counts = Array.from({ length: buckets.length + 1 }, () => 0);
  }

  add(value: number): void {
    const { buckets, counts } = this;
    let bucket = 0;
    while (bucket < buckets.length && value > (buckets[bucket] as number)) bucket++;
    counts[bucket] = (counts[bucket] as number) + 1;
    this.sum += value;
  }

  reset(): void {
    this.counts.fill(0);
    this.sum = 0;
  }
}

function samplesOf(name: string, topic: string, { buckets, counts, sum }: BucketTally): Sample[] {
  const labels = { topic };
  let count = 0;
  const cumulated = counts.map((inBucket, index) => {
    count += inBucket;
    return { metricName: `${name}_bucket`, labels: { le: buckets[index] ?? '+Inf', topic }, value: count };
  });
  const sums = { metricName: `${name}_sum`, labels, value: sum };
  return [...cumulated, sums, { metricName: `${name}_count`, labels, value: count }];
}
