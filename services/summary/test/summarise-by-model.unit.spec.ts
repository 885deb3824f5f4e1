import { describe, expect, it } from '@jest/globals';
import { outcomeWith } from '@anabranch/analysis-runtime/testing';
import { summary } from '../src/summary.analysis.js';
import { maxSummaryCharacters, readSummary } from '../src/summary.reply.js';

const document = { text: 'One came early. Two left late. Three stayed on. Four never came.' };

describe('a summary in a model’s words', () => {
  it('is abstractive, has sentences without offsets, and says that all was read at once', async () => {
    const { outcome } = await outcomeWith(summary, { document, values: [{ summary: 'Some came. Some left.' }] });
    expect(outcome.result).toEqual({
      kind: 'ABSTRACTIVE',
      text: 'Some came. Some left.',
      sentences: ['Some came.', 'Some left.'].map((text) => {
        return { text, begin: null, end: null, page: null, rankScore: null };
      }),
      coverage: { strategy: 'single', chunks: 1, sentencesRead: 4, sentencesTotal: 4 },
    });
  });

  it('of a long document is a summary of the summaries of its parts, until one is left', async () => {
    const parts = ['Alpha only.', 'Beta only.', 'Gamma only.', 'Delta only.'].map((each) => ({ summary: each }));
    const values = [...parts, { summary: 'Alpha and beta.' }, { summary: 'Gamma and delta.' }, { summary: 'All.' }];
    const { outcome, usage } = await outcomeWith(summary, { document, values, chunkCharacters: 16 });
    expect(outcome.result).toMatchObject({ text: 'All.', coverage: { strategy: 'map-reduce', chunks: 4 } });
    expect(usage).toMatchObject({ attempts: 7 });
  });

  it('takes one part that is left over to the next level as it is', async () => {
    const values = ['Alpha only.', 'Beta only.', 'Gamma only.', 'Alpha and beta.', 'All.'].map((each) => ({
      summary: each,
    }));
    const text = 'One came early. Two left late. Three stayed on.';
    const { outcome, usage } = await outcomeWith(summary, { document: { text }, values, chunkCharacters: 16 });
    expect(outcome.result).toMatchObject({ text: 'All.', coverage: { chunks: 3 } });
    expect(usage).toMatchObject({ attempts: 5 });
  });
});

describe('what a model says', () => {
  it('is put on one line, without control characters', () => {
    expect(readSummary({ summary: ' Some\u0000 came.\n\n\tSome left. ' })).toBe('Some came. Some left.');
  });

  it('ends with the last sentence that fits', () => {
    const sentence = `W${'ord '.repeat(100)}end.`;
    const text = readSummary({ summary: `${sentence} `.repeat(20) });
    expect(text.length).toBeLessThanOrEqual(maxSummaryCharacters);
    expect(text.endsWith('end.')).toBe(true);
    const endless = readSummary({ summary: '😀'.repeat(5_000) });
    expect(endless.length).toBeLessThanOrEqual(maxSummaryCharacters);
    expect(endless.isWellFormed()).toBe(true);
  });

  it.each(['', ' \n', '\u0000'])('is no summary when it is %j', (said) => {
    expect(() => readSummary({ summary: said })).toThrow('summary must not be empty');
  });
});
