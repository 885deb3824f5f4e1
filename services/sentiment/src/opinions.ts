import { findWords, type Span } from '@anabranch/text';
import { derivedWeight } from './derived-words.js';
import {
  betweenLikes,
  intensities,
  likeWeight,
  negations,
  opinionWeights,
  saidByNegation,
  whoLikes,
} from './lexicon.js';

/** An opinion word in a sentence, in UTF-16 units of it, and what it says: negated, intensified, before or after a "but". */
export interface Opinion extends Span {
  weight: number;
}

interface SpelledWord extends Span {
  word: string;
}

// A negated opinion is weaker than its opposite: "not good" is not "bad".
const negationFactor = -0.5;
const negationReach = 3;
// People write more good words than bad ones, whatever they think, so a bad one says more. SO-CAL (Taboada et al., 2011)
// makes it half as much again; half of that leaves a text of both alike in the middle.
const badOverGood = 1.25;
// What stands before a "but" counts less than what follows it.
const factorBefore = 0.5;
const factorAfter = 1.5;
const clauseEnd = /[,;:()—]|\p{Extended_Pictographic}/u;

const wordsOf = (sentence: string): SpelledWord[] =>
  findWords(sentence).map(({ text, begin, end }) => ({ word: text.toLowerCase().replaceAll('’', "'"), begin, end }));

const isNegation = (words: readonly SpelledWord[], index: number): boolean => {
  const word = words[index]?.word ?? '';
  if (word === 'not' && words[index + 1]?.word === 'only') return false;
  return negations.has(word) || word.endsWith("n't");
};

/** Whether one of the words just before negates a word, in the same clause. */
const isNegated = (sentence: string, words: readonly SpelledWord[], index: number): boolean => {
  for (let place = index - 1; place >= Math.max(0, index - negationReach); place -= 1) {
    if (clauseEnd.test(sentence.slice(words[place]?.end, words[place + 1]?.begin))) return false;
    if (isNegation(words, place)) return true;
  }
  return false;
};

/** "I really like it", not "it looks like". */
const isLiking = (words: readonly SpelledWord[], index: number): boolean => {
  let place = index - 1;
  while (place >= 0 && betweenLikes.has(words[place]?.word ?? '')) place -= 1;
  return whoLikes.has(words[place]?.word ?? '');
};

const weightAt = (words: readonly SpelledWord[], index: number): number => {
  const word = words[index]?.word ?? '';
  if (word === 'like') return isLiking(words, index) ? likeWeight : 0;
  return opinionWeights.get(word) ?? saidByNegation.get(word) ?? derivedWeight(word);
};

/** The opinion words of a sentence, in order. Linear in its words. */
export function findOpinions(sentence: string): Opinion[] {
  const words = wordsOf(sentence);
  const turn = words.findLastIndex(({ word }, index) => index > 0 && word === 'but');
  const contrast = (index: number): number => {
    if (turn === -1) return 1;
    return index < turn ? factorBefore : factorAfter;
  };
  const opinions: Opinion[] = [];
  for (const [index, { word, begin, end }] of words.entries()) {
    const plain = weightAt(words, index);
    if (plain === 0) continue;
    const negated = isNegated(sentence, words, index);
    if (!negated && saidByNegation.has(word)) continue;
    const intensity = intensities.get(words[index - 1]?.word ?? '') ?? 1;
    const sign = negated ? negationFactor : 1;
    const weight = plain * intensity * sign * contrast(index);
    opinions.push({ begin, end, weight: weight < 0 ? weight * badOverGood : weight });
  }
  return opinions;
}
