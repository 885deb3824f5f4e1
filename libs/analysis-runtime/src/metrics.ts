import { Counter, Histogram, type Registry } from 'prom-client';

export interface AnalysisMetrics {
  outcome(status: 'done' | 'refused' | 'failed'): void;
  /** How long an engine took over a document. */
  took(seconds: number): void;
}

/** The counters of one analysis. */
export function createAnalysisMetrics(analysis: string, registry: Registry): AnalysisMetrics {
  const registers = [registry];
  const outcomes = new Counter({
    name: 'anabranch_outcomes_total',
    help: 'Outcomes published, by analysis and status.',
    labelNames: ['analysis', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'anabranch_analysis_seconds',
    help: 'Time from the document read to its result, waits for other documents on the thread included.',
    labelNames: ['analysis'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300],
    registers,
  });
  return {
    outcome: (status) => outcomes.inc({ analysis, status }),
    took: (value) => seconds.observe({ analysis }, value),
  };
}
