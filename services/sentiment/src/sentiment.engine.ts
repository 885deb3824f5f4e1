import type { SentenceSentiment, Sentiment, SentimentEvidence, SentimentResult } from '@anabranch/contracts';
import { type Offsets, sentenceSpans, type Span } from '@anabranch/text';
import { findOpinions, type Opinion } from './opinions.js';

/** What the engine reads: a cleaned text and its table of offsets. */
export interface SentimentInput {
  text: string;
  offsets: Offsets;
}

/** The result, and what its reader should know about it. */
export interface SentimentReading {
  result: SentimentResult;
  warnings: string[];
}

/** Evidence for either side. */
interface Sides {
  positive: number;
  negative: number;
}

// Puts the strength of a sentence between 0 and 1: one plain opinion word of weight 3 gives 0.61.
const damping = 15;
// The weaker side must have this share of the evidence for a sentence or document to be MIXED.
const mixedShare = 0.4;
// A text of which so little is opinion, and none of it strong, has no sentiment: an invoice that ends with "Thank you".
const thin = { share: 0.1, strength: 0.6 };
/** Most entries of `sentences` and of `evidence`; all evidence counts in the scores. */
export const maxListed = 1_000;

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

const sidesOf = (opinions: readonly Opinion[]): Sides => {
  const sides = { positive: 0, negative: 0 };
  for (const { weight } of opinions) {
    if (weight > 0) sides.positive += weight;
    else sides.negative -= weight;
  }
  return sides;
};

const judge = ({ positive, negative }: Sides): Sentiment => {
  if (Math.min(positive, negative) >= mixedShare * (positive + negative)) return 'MIXED';
  return positive > negative ? 'POSITIVE' : 'NEGATIVE';
};

/** The sides of a sentence that has an opinion, scaled so that together they are its strength, below 1. */
const strengthOf = ({ positive, negative }: Sides): Sides => {
  const total = positive + negative;
  const scale = 1 / Math.sqrt(total * total + damping);
  return { positive: positive * scale, negative: negative * scale };
};

/** Adds up the evidence of a document, sentence by sentence, each by its length. */
const createTally = (text: string, offsets: Offsets) => {
  const sentences: SentenceSentiment[] = [];
  const evidence: SentimentEvidence[] = [];
  const sides: Sides = { positive: 0, negative: 0 };
  const counts = { opinions: 0, sentences: 0, charactersWith: 0, characters: 0, strongest: 0 };
  const place = (span: Span) => ({ begin: offsets.toCodePoint(span.begin), end: offsets.toCodePoint(span.end) });

  const list = (sentence: Span, { positive, negative }: Sides, opinions: readonly Opinion[]): void => {
    if (sentences.length < maxListed) {
      const score = round(positive - negative);
      sentences.push({ ...place(sentence), sentiment: judge({ positive, negative }), score });
    }
    for (const { begin, end, weight } of opinions.slice(0, maxListed - evidence.length)) {
      const span = { begin: sentence.begin + begin, end: sentence.begin + end };
      evidence.push({ text: text.slice(span.begin, span.end), ...place(span), weight: round(weight) });
    }
  };

  return {
    sentences,
    evidence,
    sides,
    counts,
    add(sentence: Span): void {
      const length = sentence.end - sentence.begin;
      counts.characters += length;
      const opinions = findOpinions(text.slice(sentence.begin, sentence.end));
      if (opinions.length === 0) return;
      counts.charactersWith += length;
      counts.sentences += 1;
      counts.opinions += opinions.length;
      const strength = strengthOf(sidesOf(opinions));
      counts.strongest = Math.max(counts.strongest, strength.positive + strength.negative);
      sides.positive += length * strength.positive;
      sides.negative += length * strength.negative;
      list(sentence, strength, opinions);
    },
  };
};

type Tally = ReturnType<typeof createTally>;

const tooThin = 'There are hardly any opinion words in the text, and no strong ones, so the engine abstains.';
const noEvidence = 'No opinion word of the English lexicon occurs in the text, so the engine abstains.';

/** Why a text has no sentiment; null when it has one. */
const reasonToAbstain = ({ counts, sides }: Tally): string | null => {
  if (counts.opinions === 0) return noEvidence;
  const isThin = sides.positive + sides.negative < thin.share * counts.characters && counts.strongest < thin.strength;
  return isThin ? tooThin : null;
};

const warningsOf = ({ counts, sentences, evidence }: Tally): string[] => {
  if (counts.opinions === evidence.length && counts.sentences === sentences.length) return [];
  return [`Only the first ${maxListed} sentences and opinion words are listed; all ${counts.opinions} words count.`];
};

/** Shares of the text, together 1: what is without an opinion is neutral, the rest is shared by the sides. */
const scoresOf = ({ sides, counts }: Tally): SentimentResult['scores'] => {
  const { positive, negative } = sides;
  const share = positive + negative === 0 ? 0 : counts.charactersWith / counts.characters / (positive + negative);
  const shares = { positive: round(positive * share), negative: round(negative * share) };
  return { ...shares, neutral: round(1 - shares.positive - shares.negative), scoreKind: 'NONE' };
};

/**
 * The sentiment of a document from opinion words, sentence by sentence: negated, intensified, set against each other by
 * "but", with their places. The document is the mean of its sentences by length. Without evidence, or with next to none, the engine abstains:
 * NEUTRAL, undecided, with the reason. Linear; yields after each sentence.
 */
export function* readSentiment({ text, offsets }: SentimentInput): Generator<void, SentimentReading> {
  const tally = createTally(text, offsets);
  for (const sentence of sentenceSpans(text)) {
    tally.add(sentence);
    yield;
  }
  const reason = reasonToAbstain(tally);
  return {
    result: {
      sentiment: reason === null ? judge(tally.sides) : 'NEUTRAL',
      decided: reason === null,
      reason,
      scores: scoresOf(tally),
      sentences: tally.sentences,
      evidence: tally.evidence,
    },
    warnings: [...(reason === null ? [] : [reason]), ...warningsOf(tally)],
  };
}
