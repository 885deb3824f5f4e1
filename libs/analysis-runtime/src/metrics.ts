import { Counter, Histogram, type Registry } from 'prom-client';
import type { Reading } from './model/ask-question.js';

export interface AnalysisMetrics {
  outcome(status: 'done' | 'refused' | 'failed'): void;
  /** How long an engine took over a document. */
  took(seconds: number): void;
  /** How a reply of a model was found. */
  replied(reading: Reading): void;
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
  const replies = new Counter({
    name: 'anabranch_model_replies_total',
    help: 'Replies of language models, by analysis and how they were found: read, bad, cut or refused.',
    labelNames: ['analysis', 'reading'],
    registers,
  });
  return {
    outcome: (status) => outcomes.inc({ analysis, status }),
    took: (value) => seconds.observe({ analysis }, value),
    replied: (reading) => replies.inc({ analysis, reading }),
  };
}
