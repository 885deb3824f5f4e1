import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createDecoder } from '../src/decode.js';
import { englishModel } from '../src/english-model.js';
import { createScorer } from '../src/emissions.js';
import { type Perceptron, tagCount, tagOf } from '../src/perceptron.js';
import { tokenise } from '../src/tokens.js';

const tokens = (text: string): string[] =>
  tokenise(text, { begin: 0, end: text.length }, []).map((token) => token.text);

describe('tokenise', () => {
  it.each([
    ["Don't shout, Jane's dog won’t come.", "Do n't shout , Jane 's dog wo n’t come ."],
    ['Mr. J. Smith of Acme Inc. left the U.S. at 10:30.', 'Mr. J. Smith of Acme Inc. left the U.S. at 10:30 .'],
    ['Coca-Cola and AT&T paid $1,000.50 (or 3%)!!', 'Coca-Cola and AT&T paid $ 1,000.50 ( or 3 % ) !!'],
    ['It ended.The next... began--here', 'It ended . The next ... began -- here'],
    ['Zoe\u0301 👩‍👩‍👧 #go @me', 'Zoe\u0301 👩 \u200d 👩 \u200d 👧 #go @me'],
  ])('cuts %s as the weights know it', (text, expected) => {
    expect(tokens(text).join(' ')).toBe(expected);
  });

  it('takes an identifier as one token', () => {
    const text = 'Write to bob@example.com, please';
    const found = tokenise(text, { begin: 0, end: text.length }, [{ begin: 9, end: 24 }]);
    expect(found.map((token) => [token.text, token.isIdentifier])).toContainEqual(['bob@example.com', true]);
  });

  it('leaves out white space only, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const found = tokenise(text, { begin: 0, end: text.length }, []);
        for (const token of found) expect(text.slice(token.begin, token.end)).toBe(token.text);
        expect(found.map((token) => token.text).join('')).toBe(text.replace(/\s+/gu, ''));
      }),
    );
  });
});

/** All legal sequences of tags with their scores: what the decoder must agree with. */
const enumerate = ({ transitions }: Perceptron, emissions: Int32Array): { tags: number[]; score: number }[] => {
  const isOpen = (tag: number): boolean => tag > 0 && (tag - 1) % 4 < 2;
  const mayFollow = (one: number, other: number): boolean => {
    const goesOn = other > 0 && ((other - 1) % 4 === 1 || (other - 1) % 4 === 2);
    return isOpen(one) ? goesOn && (one - 1) >> 2 === (other - 1) >> 2 : !goesOn;
  };
  let paths: { tags: number[]; score: number }[] = [{ tags: [], score: 0 }];
  for (let token = 0; token < emissions.length / tagCount; token += 1) {
    paths = paths.flatMap(({ tags, score }) =>
      Array.from({ length: tagCount }, (_, tag) => tag)
        .filter((tag) => mayFollow(tags.at(-1) ?? 0, tag))
        .map((tag) => ({
          tags: [...tags, tag],
          score: score + transitions[(tags.at(-1) ?? 0) * tagCount + tag]! + emissions[token * tagCount + tag]!,
        })),
    );
  }
  return paths.filter(({ tags }) => !isOpen(tags.at(-1) ?? 0));
};

describe('createDecoder', () => {
  const decode = createDecoder(englishModel);
  const emissions = fc
    .integer({ min: 1, max: 4 })
    .chain((length) =>
      fc.array(fc.integer({ min: -300, max: 300 }), { minLength: length * 13, maxLength: length * 13 }),
    )
    .map((scores) => Int32Array.from(scores));

  it('finds the best legal sequence, and scores a span by the share of all sequences that hold exactly it', () => {
    fc.assert(
      fc.property(emissions, (scores) => {
        const paths = enumerate(englishModel, scores);
        const best = Math.max(...paths.map(({ score }) => score));
        const spans = decode(scores);
        const weight = (score: number): number => Math.exp((score - best) / 150);
        const total = paths.reduce((sum, { score }) => sum + weight(score), 0);
        const holds = (tags: number[], { first, last, type }: (typeof spans)[number]): boolean =>
          first === last
            ? tags[first] === tagOf(type, 3)
            : tags[first] === tagOf(type, 0) &&
              tags[last] === tagOf(type, 2) &&
              tags.slice(first + 1, last).every((tag) => tag === tagOf(type, 1));
        expect(paths.some(({ tags, score }) => score === best && spans.every((span) => holds(tags, span)))).toBe(true);
        for (const span of spans) {
          const share =
            paths.reduce((sum, { tags, score }) => (holds(tags, span) ? sum + weight(score) : sum), 0) / total;
          expect(span.score).toBeCloseTo(share, 6);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('tags a plain sentence', () => {
    const words = ['Angela', 'Merkel', 'visited', 'Microsoft', 'in', 'Munich', '.'];
    const spans = decode(createScorer(englishModel)(words));
    expect(spans.map(({ first, last, type }) => [first, last, type])).toEqual([
      [0, 1, 0],
      [3, 3, 1],
      [5, 5, 2],
    ]);
  });
});
