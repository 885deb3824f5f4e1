import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { codePoints, runAtOnce } from '@anabranch/analysis-runtime/testing';
import { createOffsets, splitSentences } from '@anabranch/text';
import fc from 'fast-check';
import { maxListed, readSentiment, type SentimentReading } from '../src/sentiment.engine.js';

const run = (text: string): SentimentReading => runAtOnce(readSentiment({ text, offsets: createOffsets(text) }));

const review = readFileSync(new URL('./fixtures/document.txt', import.meta.url), 'utf8');

describe('readSentiment', () => {
  it.each([
    ['praise', 'The food was great. We loved it.', 'POSITIVE'],
    ['blame', 'The room was dirty. An awful stay.', 'NEGATIVE'],
    ['both in two sentences', 'The food was great. The room was bad.', 'MIXED'],
    ['both in one sentence', 'Great food and terrible service.', 'MIXED'],
    ['much praise and a little blame', 'The food was great. We loved the view. A bit slow.', 'POSITIVE'],
    ['negated praise', 'It was not good.', 'NEGATIVE'],
    ['negated blame', 'It isn’t bad at all.', 'POSITIVE'],
    ['a negation that adds', 'It was not only good.', 'POSITIVE'],
    ['a negation out of reach', 'I did not go to see it, and the view was great.', 'POSITIVE'],
    ['a negation in another clause', 'No, great view.', 'POSITIVE'],
    ['a negation before an emoji', 'cant even 😭😭 best day ever', 'POSITIVE'],
    ['what follows a but', 'The view was good, but the food was bad.', 'NEGATIVE'],
    ['somebody who likes it', 'I really like the view.', 'POSITIVE'],
    ['somebody who does not', 'We didn’t like the view.', 'NEGATIVE'],
    ['something that did not work', 'The air conditioning did not work.', 'NEGATIVE'],
    ['no word of AFINN, one of ours', 'An overpriced hotel.', 'NEGATIVE'],
    ['a word by the one that it comes from', 'The pianist played brilliantly.', 'POSITIVE'],
    ['the opposite of a good word', 'The staff was unhelpful.', 'NEGATIVE'],
  ])('reads %s as it is meant', (_name, text, sentiment) => {
    expect(run(text).result).toMatchObject({ sentiment, decided: true, reason: null });
  });

  it.each([
    ['a plain statement', 'The bus leaves at nine. It is blue.'],
    ['a comparison', 'It looks like the bus.'],
    ['mere politeness', 'Dear Ms. Ito, please take the bus. Sincerely, Jo'],
    ['somebody at work', 'They work in the bus.'],
    ['a word that only negates', 'There is no bus.'],
  ])('abstains without evidence, and says so: %s', (_name, text) => {
    const { result, warnings } = run(text);
    expect(result).toEqual({
      sentiment: 'NEUTRAL',
      decided: false,
      reason: 'No opinion word of the English lexicon occurs in the text, so the engine abstains.',
      scores: { positive: 0, negative: 0, neutral: 1, scoreKind: 'NONE' },
      sentences: [],
      evidence: [],
    });
    expect(warnings).toEqual([result.reason]);
  });

  it.each([
    ['an invoice that thanks', `Invoice no. 417. ${'Ten boxes of paper, A4, 500 sheets each. '.repeat(8)}Thank you.`],
    ['one weak word of many', `${'The mill opened in 1974 beside the river. '.repeat(9)}The bus is slow.`],
  ])('abstains when a text has next to no opinion in it, and says so: %s', (_name, text) => {
    const { result, warnings } = run(text);
    expect(result).toMatchObject({ sentiment: 'NEUTRAL', decided: false });
    expect(result.reason).toContain('hardly any opinion');
    expect(result.evidence).toHaveLength(1);
    expect(warnings).toEqual([result.reason]);
  });

  it.each(['infection', 'assets', 'the settlement of debts', 'big', 'legally', 'Sincerely'])(
    'takes what only states a fact for no opinion: %s',
    (words) => {
      expect(run(`They wrote about ${words} in May.`).result.decided).toBe(false);
    },
  );

  it('takes no side in a long review that praises as much as it blames', () => {
    const mixed = readFileSync(new URL('./fixtures/mixed-review.txt', import.meta.url), 'utf8');
    const { sentiment, scores } = run(mixed).result;
    expect(sentiment).toBe('MIXED');
    expect(scores.neutral).toBeLessThan(0.3);
  });

  it('shows which words it weighed, negated, intensified and contrasted', () => {
    const { evidence } = run('Really good. Not good. Slightly good. Good. Good but bad.').result;
    expect(evidence.map(({ text, weight }) => [text, weight])).toEqual([
      ['good', 4.5],
      ['good', -1.875],
      ['good', 1.5],
      ['Good', 3],
      ['Good', 1.5],
      ['bad', -5.625],
    ]);
  });

  it('weighs sentences by their length', () => {
    const long = 'The rooms that look over the river and the gardens behind the old mill are nice.';
    expect(run(`${long} Bad.`).result.sentiment).toBe('POSITIVE');
    expect(
      run('Nice. The rooms that look over the river and the gardens behind the mill are bad.').result.sentiment,
    ).toBe('NEGATIVE');
  });

  it('lists the sentences with evidence, and gives shares that are together one', () => {
    const { sentences, scores } = run(review).result;
    expect(sentences.map(({ sentiment }) => sentiment)).toEqual(['POSITIVE', 'POSITIVE', 'NEGATIVE', 'POSITIVE']);
    expect(scores.neutral).toBeGreaterThan(0.1);
    expect((scores.positive ?? 0) + (scores.negative ?? 0) + (scores.neutral ?? 0)).toBeCloseTo(1);
  });

  it('keeps every sentence’s score between −1 and 1', () => {
    const scores = run(`${'wonderful '.repeat(300)}. ${'awful '.repeat(300)}.`).result.sentences.map(
      ({ score }) => score ?? 0,
    );
    expect(Math.max(...scores)).toBeLessThanOrEqual(1);
    expect(Math.min(...scores)).toBeGreaterThanOrEqual(-1);
  });

  it('lists a bounded number of words, counts all, and says so', () => {
    const { result, warnings } = run('Good. '.repeat(maxListed + 1));
    expect([result.sentences.length, result.evidence.length]).toEqual([maxListed, maxListed]);
    expect(warnings).toEqual([
      `Only the first ${maxListed} sentences and opinion words are listed; all 1001 words count.`,
    ]);
  });
});

const fragment = fc.constantFrom(
  'I love it. ', 'Awful service! ', 'It was not good', 'brilliantly', '😀', '👩‍👩‍👧', 'e\u0301', '\u05e9\u05dc\u05d5\u05dd. ', '\u200f', '\u202e',
  '\r\n', '\r\n\r\n', '𝕏', '. ', ' ', ', but ',
); // prettier-ignore

describe('every sentence and every word of evidence', () => {
  it('stands in the text at its offsets, whatever the text', () => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        const { sentences, evidence } = run(text).result;
        const spans = splitSentences(text).map(({ begin, end }) => `${begin} ${end}`);
        expect(spans).toEqual(expect.arrayContaining(sentences.map(({ begin, end }) => `${begin} ${end}`)));
        for (const word of evidence) expect(codePoints(text, word)).toBe(word.text);
      }),
    );
  });
});
