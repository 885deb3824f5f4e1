import { describe, expect, it } from '@jest/globals';
import { outcomeWith } from '@anabranch/analysis-runtime/testing';
import type { SentimentResult } from '@anabranch/contracts';
import { sentiment } from '../src/sentiment.analysis.js';

type Judged = 'POSITIVE' | 'NEGATIVE' | 'NEUTRAL' | 'MIXED';
const judged = (judgement: Judged, evidence: object[] = [], shares = [1, 0, 0]) => {
  const [positive = 0, negative = 0, neutral = 0] = shares;
  return { sentiment: judgement, positive, negative, neutral, evidence };
};
const resultOf = async (text: string, values: object[], chunkCharacters = 16_000): Promise<SentimentResult> => {
  const { outcome } = await outcomeWith(sentiment, { document: { text }, values, chunkCharacters });
  return outcome.result as SentimentResult;
};

describe('the sentiment of a text as a model reads it', () => {
  it('is the model’s, with its shares together 1 and named as its own', async () => {
    const result = await resultOf('It was nice. It rained.', [judged('POSITIVE', [], [0.6, 0.3, 0.3])]);
    expect(result).toMatchObject({
      sentiment: 'POSITIVE',
      decided: true,
      scores: { positive: 0.5, negative: 0.25, neutral: 0.25, scoreKind: 'MODEL_SELF_REPORT' },
    });
  });

  it('has no scores when the model gives none', async () => {
    const { scores } = await resultOf('It rained.', [judged('NEUTRAL', [], [0, 0, 0])]);
    expect(scores).toEqual({ positive: null, negative: null, neutral: null, scoreKind: 'NONE' });
  });

  it('shows the words where they stand, and the sentences that they stand in', async () => {
    const quotes = [
      { quote: 'awful', sentiment: 'NEGATIVE' },
      { quote: 'very nice', sentiment: 'POSITIVE' },
      { quote: 'Cold', sentiment: 'NEGATIVE' },
    ];
    const { evidence, sentences } = await resultOf('😀 Very nice, but cold. It rained. Awful!', [
      judged('MIXED', quotes),
    ]);
    expect(evidence).toEqual([
      { text: 'Very nice', begin: 2, end: 11, weight: 1 },
      { text: 'cold', begin: 17, end: 21, weight: -1 },
      { text: 'Awful', begin: 34, end: 39, weight: -1 },
    ]);
    expect(sentences.map(({ begin, sentiment: side }) => [begin, side])).toEqual([
      [0, 'MIXED'],
      [34, 'NEGATIVE'],
    ]);
  });

  it('leaves out what does not stand in the text, and says how much', async () => {
    const said = [judged('POSITIVE', [{ quote: 'lovely', sentiment: 'POSITIVE' }])];
    const { outcome, warnings } = await outcomeWith(sentiment, { document: { text: 'It was nice.' }, values: said });
    expect(outcome.result).toMatchObject({ evidence: [], sentences: [] });
    expect(warnings).toEqual(['1 quotes of the model do not stand in the text, and are left out.']);
  });
});

describe('the sentiment of a long text', () => {
  const text = 'A first piece of it. A second piece it. A third piece of it. The fourth piece it.';
  const over = (...sides: Judged[]) =>
    resultOf(
      text,
      sides.map((side) => judged(side)),
      25,
    );

  it.each([
    ['the side with more text behind it', ['POSITIVE', 'POSITIVE', 'POSITIVE', 'NEGATIVE'], 'POSITIVE'],
    ['mixed when the weaker side has 40 % of both', ['POSITIVE', 'NEGATIVE', 'NEUTRAL', 'MIXED'], 'MIXED'],
    ['neutral when most of it is', ['NEUTRAL', 'NEUTRAL', 'NEGATIVE', 'NEUTRAL'], 'NEUTRAL'],
  ] as const)('is %s', async (_name, sides, expected) => {
    expect((await over(...sides)).sentiment).toBe(expected);
  });

  it('has the mean of the shares, each by its length', async () => {
    const values = [
      [1, 0, 0],
      [0, 1, 0],
      [1, 0, 0],
      [0, 0, 1],
    ].map((shares) => judged('MIXED', [], shares));
    const { scores } = await resultOf(text, values, 25);
    const lengths = [20, 18, 20, 20];
    expect(scores.positive).toBeCloseTo(40 / lengths.reduce((sum, length) => sum + length), 3);
    expect((scores.positive ?? 0) + (scores.negative ?? 0) + (scores.neutral ?? 0)).toBeCloseTo(1);
  });
});
