import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { runAtOnce } from '@anabranch/analysis-runtime/testing';
import type { SummaryResultInput } from '@anabranch/contracts';
import { createOffsets } from '@anabranch/text';
import { summarise } from '../../src/summary.engine.js';
import { rouge1 } from './rouge.js';

interface Abstract {
  sents: string[];
  refs: string[];
}

const abstracts = readFileSync(new URL('./scitldr-a-test.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Abstract);

const summaryOf = ({ sents }: Abstract): SummaryResultInput => {
  const text = sents.map((sentence) => sentence.trim()).join(' ');
  return runAtOnce(summarise({ text, offsets: createOffsets(text) }));
};

const bestSentence = ({ sentences }: SummaryResultInput): string =>
  sentences.reduce((best, sentence) => ((sentence.rankScore ?? 0) > (best.rankScore ?? 0) ? sentence : best)).text;

/** Mean over all abstracts of the best ROUGE-1 against any reference, in points. */
const measure = (choose: (abstract: Abstract) => string): number => {
  const scores = abstracts.map((abstract) => Math.max(...abstract.refs.map((ref) => rouge1(choose(abstract), ref))));
  return (100 * scores.reduce((sum, score) => sum + score, 0)) / scores.length;
};

describe('the quality of summaries of abstracts (SciTLDR-A)', () => {
  it('beats the first sentence by three points of ROUGE-1 and more, with one sentence and as it comes', () => {
    const lead = measure(({ sents }) => sents[0] ?? '');
    const one = measure((abstract) => bestSentence(summaryOf(abstract)));
    const leadOfLength = measure((abstract) => abstract.sents.slice(0, summaryOf(abstract).sentences.length).join(' '));
    const whole = measure((abstract) => summaryOf(abstract).text);
    const figures = [one, lead, whole, leadOfLength].map((figure) => figure.toFixed(1));
    process.stdout.write(
      `summary, SciTLDR-A (${abstracts.length} abstracts), ROUGE-1: best sentence ${figures[0]} (first sentence ` +
        `${figures[1]}), whole summary ${figures[2]} (as many first sentences ${figures[3]})\n`,
    );
    expect(one).toBeGreaterThanOrEqual(lead + 5);
    expect(whole).toBeGreaterThanOrEqual(leadOfLength + 3);
  });
});
