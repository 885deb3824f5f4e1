import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Counter, Histogram, Registry } from 'prom-client';
import { createTallyCounter, createTallyHistogram } from '../src/consumer/tallies.js';

const buckets = [0.001, 0.1, 1, 10];
const outcomes = ['good', 'bad'] as const;

describe('metrics that are kept as tallies', () => {
  it('give the page that prom-client’s own histogram gives', async () => {
    const value = fc.oneof(
      fc.constantFrom(0, ...buckets),
      fc.integer({ min: 0, max: 20_000 }).map((n) => n / 1_000),
    );
    const observation = fc.record({ topic: fc.constantFrom('a', 'b "quoted"'), value });
    await fc.assert(
      fc.asyncProperty(fc.array(observation, { maxLength: 30 }), async (observations) => {
        const [own, theirs] = [labelled(), labelled()];
        const options = { name: 'seconds', help: 'Some time.', buckets };
        const tallies = createTallyHistogram(own, options);
        const histogram = new Histogram({ ...options, labelNames: ['topic'], registers: [theirs] });
        for (const { topic, value } of observations) {
          tallies.of(topic).add(value);
          histogram.observe({ topic }, value);
        }
        expect(linesOf(await own.metrics())).toEqual(linesOf(await theirs.metrics()));
      }),
      { numRuns: 50 },
    );
  });

  it('give the page that prom-client’s own counter gives', async () => {
    const [own, theirs] = [labelled(), labelled()];
    const options = { name: 'things_total', help: 'Some things.' };
    const counts = createTallyCounter(own, { ...options, outcomes });
    const counter = new Counter({ ...options, labelNames: ['topic', 'outcome'], registers: [theirs] });
    counts.of('a').good += 2;
    counts.of('a').bad++;
    counter.inc({ topic: 'a', outcome: 'good' }, 2);
    counter.inc({ topic: 'a', outcome: 'bad' });
    expect(linesOf(await own.metrics())).toEqual(linesOf(await theirs.metrics()));
  });

  it('begin anew when their registry is reset', async () => {
    const registry = labelled();
    const seconds = createTallyHistogram(registry, { name: 'seconds', help: 'Some time.', buckets }).of('a');
    const counts = createTallyCounter(registry, { name: 'things_total', help: 'Some things.', outcomes }).of('a');
    seconds.add(1);
    counts.good++;
    registry.resetMetrics();
    seconds.add(2);
    const page = await registry.metrics();
    expect(page).toContain('seconds_sum{topic="a",service="spec"} 2\n');
    expect(page).toContain('seconds_count{topic="a",service="spec"} 1\n');
    expect(page).toContain('things_total{topic="a",outcome="good",service="spec"} 0\n');
  });
});

function labelled(): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service: 'spec' });
  return registry;
}

/** The order of a page's lines, and of labels in a line, says nothing. */
function linesOf(page: string): string[] {
  return page
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join()}}`))
    .sort();
}
