import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { runAtOnce } from '@anabranch/analysis-runtime/testing';
import { type Taxonomy, taxonomySchema } from '@anabranch/rules';
import { createOffsets } from '@anabranch/text';
import { classify } from '../../src/classification.engine.js';
import { domainKeywords } from './domains.js';

interface Sentence {
  domain: string;
  text: string;
}

const [, ...rows] = readFileSync(new URL('./crossner-domains.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const sentences = rows.map((row): Sentence => {
  const [domain = '', text = ''] = row.split('\t');
  return { domain, text };
});
const examplesPerLabel = 20;
const byDomain = Map.groupBy(sentences, ({ domain }) => domain);
const unseen = [...byDomain.values()].flatMap((own) => own.slice(examplesPerLabel));

const taxonomyOf = (parts: { keywords: boolean; examples: boolean }): Taxonomy =>
  taxonomySchema.parse({
    id: 'domains',
    version: '1',
    threshold: 0,
    labels: Object.entries(domainKeywords).map(([name, keywords]) => {
      const examples = (byDomain.get(name) ?? []).slice(0, examplesPerLabel).map(({ text }) => text);
      return { name, keywords: parts.keywords ? keywords : [], examples: parts.examples ? examples : [] };
    }),
  });

const accuracyWith = (taxonomy: Taxonomy): number => {
  const labelOf = (text: string) => runAtOnce(classify({ text, offsets: createOffsets(text), taxonomy })).label;
  return unseen.filter(({ domain, text }) => labelOf(text) === domain).length / unseen.length;
};

describe('the quality of classes of single sentences (CrossNER domains)', () => {
  it('is right in 71 % with keywords and twenty examples per label, and better than with either alone', () => {
    const both = accuracyWith(taxonomyOf({ keywords: true, examples: true }));
    const examples = accuracyWith(taxonomyOf({ keywords: false, examples: true }));
    const keywords = accuracyWith(taxonomyOf({ keywords: true, examples: false }));
    const [first, second, third] = [both, examples, keywords].map((value) => `${(100 * value).toFixed(1)} %`);
    process.stdout.write(
      `classification, CrossNER domains (${unseen.length} sentences, 5 labels): keywords and ${examplesPerLabel} ` +
        `examples each ${first}, examples only ${second}, keywords only ${third}\n`,
    );
    expect(both).toBeGreaterThanOrEqual(0.71);
    expect(both).toBeGreaterThan(examples);
    expect(both).toBeGreaterThan(keywords);
  });
});
