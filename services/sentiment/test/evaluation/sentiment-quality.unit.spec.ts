import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { runAtOnce } from '@anabranch/analysis-runtime/testing';
import { createOffsets } from '@anabranch/text';
import { readSentiment } from '../../src/sentiment.engine.js';

const [, ...rows] = readFileSync(new URL('./sentiment-uci.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const sentences = rows.map((row) => row.split('\t') as [text: string, label: string, source: string]);

const judged = sentences.map(([text, label]) => {
  const { result } = runAtOnce(readSentiment({ text, offsets: createOffsets(text) }));
  return { ...result, isRight: result.sentiment.toLowerCase() === label };
});
const share = (part: readonly unknown[], whole: readonly unknown[]): number => part.length / whole.length;
const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;

describe('the quality of sentiment of review sentences (UCI)', () => {
  it('is right in 88.5 % of the 75 % that it takes a side on, and rarely finds both sides alike', () => {
    const decided = judged.filter((result) => result.decided);
    const sided = decided.filter(({ sentiment }) => sentiment !== 'MIXED');
    const right = sided.filter(({ isRight }) => isRight);
    process.stdout.write(
      `sentiment, UCI (${sentences.length} sentences): ${percent(share(right, sided))} right of the ` +
        `${percent(share(sided, judged))} with a side; mixed ${percent(1 - share(sided, decided))} of what is decided, ` +
        `which is ${percent(share(decided, judged))}; ${percent(share(right, decided))} right when mixed counts as wrong\n`,
    );
    expect(share(sided, judged)).toBeGreaterThanOrEqual(0.75);
    expect(share(right, sided)).toBeGreaterThanOrEqual(0.885);
    expect(share(right, decided)).toBeGreaterThanOrEqual(0.845);
  });
});
