import { inlineTextMaxBytes, parseTraceparent } from '@anabranch/contracts';
import { createBatcher, type Database } from '@anabranch/database';
import {
  assemble,
  documentKey,
  type Assembled,
  type AssemblyFact,
  type FactResult,
  type SettledJob,
} from '@anabranch/database/jobs';
import { DependencyUnavailable } from '@anabranch/failures';
import type { Logger } from '@anabranch/service-host';
import type { CollectionMetrics } from './collection-metrics.js';

/** Adds facts to their jobs. */
export interface Collector {
  /**
   * Resolves when the fact is committed.
   * @throws PoisonMessage for a fact that can never be added, DependencyUnavailable when Postgres does not answer
   */
  add(fact: AssemblyFact): Promise<void>;
}

export interface CollectorOptions {
  db: Database;
  metrics: CollectionMetrics;
  log: Logger;
}

/**
 * Facts that wait share a transaction. Two lanes by document: while one waits for its commit, the other computes. Two
 * facts of one document are never in two transactions at once, so lanes do not wait for each other's locks.
 */
export function createCollector({ db, metrics, log }: CollectorOptions): Collector {
  const batcher = createBatcher<AssemblyFact, FactResult>({
    lanes: 2,
    maxItems: 500,
    keyOf: ({ event }) => documentKey(event),
    run: async (facts) => {
      const assembled = await metrics.time(facts.length, () => assemble(db, facts));
      report(assembled, metrics, log);
      return assembled.results;
    },
  });
  return {
    add: async (fact) => {
      if (fact.type === 'opened' && isLong(fact.event.text)) metrics.longInlineText();
      await batcher.add(fact);
    },
  };
}

const isLong = (text: string | null): boolean => text !== null && Buffer.byteLength(text) > inlineTextMaxBytes;

function report({ results, settled, ignoredEarly }: Assembled, metrics: CollectionMetrics, log: Logger): void {
  for (const result of results) {
    // It comes again, and counts then.
    if (result instanceof DependencyUnavailable) continue;
    metrics.fact(result instanceof Error ? 'refused' : result);
  }
  metrics.ignoredEarly(ignoredEarly);
  for (const job of settled) {
    metrics.settled(job);
    log.debug(fieldsOf(job), `job settled: ${job.state}`);
  }
}

function fieldsOf({ jobId, tenantId, documentId, traceparent, resultVersion }: SettledJob): object {
  return { jobId, tenantId, documentId, resultVersion, traceId: parseTraceparent(traceparent)?.traceId };
}
