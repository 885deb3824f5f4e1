import type { FactResult, SettledJob } from '@anabranch/database/jobs';
import { Counter, Histogram, type Registry } from 'prom-client';

/** What collection counts. */
export interface CollectionMetrics {
  fact(result: FactResult | 'refused'): void;
  /** Outcomes that came before their job turned out not to count. */
  ignoredEarly(count: number): void;
  /** A producer sent inline what ingestion would have made a claim check. */
  longInlineText(): void;
  settled(job: SettledJob): void;
  /** So many deferred runs may go on. */
  released(count: number): void;
  /** Times the transaction of a batch of this many facts. */
  time<T>(facts: number, run: () => Promise<T>): Promise<T>;
}

export function createCollectionMetrics(registry: Registry): CollectionMetrics {
  const registers = [registry];
  const facts = new Counter({
    name: 'anabranch_collected_facts_total',
    help: 'Facts by what became of them: recorded, duplicate, ignored (about another text), refused, ignored_early (recorded before its job, and of no use to it).',
    labelNames: ['result'] as const,
    registers,
  });
  const longTexts = new Counter({
    name: 'anabranch_long_inline_texts_total',
    help: 'Documents whose inline text is longer than ingestion would send inline.',
    registers,
  });
  const settled = new Counter({
    name: 'anabranch_jobs_settled_total',
    help: 'Settlements by state; an upgrade of a settled job counts again.',
    labelNames: ['state'] as const,
    registers,
  });
  const released = new Counter({
    name: 'anabranch_released_runs_total',
    help: 'Deferred runs that were released.',
    registers,
  });
  const seconds = new Histogram({
    name: 'anabranch_job_seconds',
    help: 'Time from acceptance to the first settlement.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800],
    registers,
  });
  const time = batchTimer(registry);
  return {
    fact: (result) => facts.inc({ result }),
    ignoredEarly: (count) => facts.inc({ result: 'ignored_early' }, count),
    longInlineText: () => longTexts.inc(),
    settled: ({ state, resultVersion, elapsedMs }) => {
      settled.inc({ state });
      if (resultVersion === 1) seconds.observe(elapsedMs / 1_000);
    },
    released: (count) => released.inc(count),
    time,
  };
}

function batchTimer(registry: Registry): CollectionMetrics['time'] {
  const registers = [registry];
  const batchFacts = new Histogram({
    name: 'anabranch_assembly_batch_facts',
    help: 'Facts that shared a transaction.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const batchSeconds = new Histogram({
    name: 'anabranch_assembly_seconds',
    help: 'Time that the transaction of a batch took.',
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers,
  });
  return async (count, run) => {
    batchFacts.observe(count);
    const stop = batchSeconds.startTimer();
    try {
      return await run();
    } finally {
      stop();
    }
  };
}
