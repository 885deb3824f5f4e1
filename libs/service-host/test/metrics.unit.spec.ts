import { describe, expect, test } from '@jest/globals';
import { Counter, Histogram, type Registry } from 'prom-client';
import { createServiceMetrics, renderMetrics } from '../src/metrics.js';

function count(registry: Registry, topic: string): void {
  const counter = new Counter({
    name: 'records_total',
    help: 'Records.',
    labelNames: ['topic'],
    registers: [registry],
  });
  counter.inc({ topic });
}

describe('the metrics page', () => {
  test('shows the same metric of two services as one family with a label for each', async () => {
    const [a, b] = [createServiceMetrics('a'), createServiceMetrics('b')];
    count(a, 't');
    count(b, 't');
    expect(await renderMetrics([a, b])).toBe(
      [
        '# HELP records_total Records.',
        '# TYPE records_total counter',
        'records_total{topic="t",service="a"} 1',
        'records_total{topic="t",service="b"} 1',
        '',
      ].join('\n'),
    );
  });

  test('keeps families apart, and a histogram whole', async () => {
    const registry = createServiceMetrics('a');
    count(registry, 't');
    new Histogram({ name: 'seconds', help: 'Time.', buckets: [1], registers: [registry] }).observe(0.5);
    const page = await renderMetrics([registry, createServiceMetrics('without metrics')]);
    expect(page.match(/^# TYPE .*$/gm)).toEqual(['# TYPE records_total counter', '# TYPE seconds histogram']);
    expect(page).toContain('seconds_bucket{le="1",service="a"} 1\n');
    expect(page).toContain('seconds_count{service="a"} 1\n');
  });
});
