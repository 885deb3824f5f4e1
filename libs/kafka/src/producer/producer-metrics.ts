import { Counter, Histogram, type Registry } from 'prom-client';
import { once } from '../metrics.js';

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

export interface ProducerMetrics {
  /** A record was acknowledged so long after it was handed over. */
  acknowledged(topic: string, durationMs: number): void;
}

export function createProducerMetrics(registry: Registry): ProducerMetrics {
  const options = { labelNames: ['topic'], registers: [registry] };
  const produced = once(
    registry,
    'anabranch_produced_records_total',
    () =>
      new Counter({
        ...options,
        name: 'anabranch_produced_records_total',
        help: 'Records that the broker has acknowledged.',
      }),
  );
  const duration = once(
    registry,
    'anabranch_produce_seconds',
    () =>
      new Histogram({
        ...options,
        name: 'anabranch_produce_seconds',
        help: 'From the call of publish to the broker’s acknowledgement.',
        buckets: secondsBuckets,
      }),
  );
  return {
    acknowledged: (topic, durationMs) => {
      produced.inc({ topic });
      duration.observe({ topic }, durationMs / 1000);
    },
  };
}
