import type { Taxonomy } from '@anabranch/rules';
import { findContentWords } from '@anabranch/text';

/** A document's content words by their stems, and how often each stands in it. */
export type WordCounts = ReadonlyMap<string, number>;

/** What the examples of a taxonomy say about a document. */
export interface ExampleVerdict {
  /** Of each label that has examples: how far it is preferred, from 0 (no more than by chance) to 1. */
  preferences: ReadonlyMap<string, number>;
  /** Stems of the document's words that speak most for a label, best first. */
  wordsFor(label: string): string[];
}

/** A naive Bayes classifier, trained on a taxonomy's examples. */
export interface Classifier {
  /** Whether a stem occurs in the examples at all. */
  knows(stem: string): boolean;
  /** Linear in the words; yields after some. */
  judge(counts: WordCounts): Generator<void, ExampleVerdict>;
}

/** By how much a word raises the logarithm of a label's likelihood, over a word that the label's examples do not have. */
interface Gain {
  label: number;
  gain: number;
}

interface KnownWord {
  gains: Gain[];
  /** Mean over all labels. */
  usualGain: number;
}

interface LearntLabel {
  name: string;
  weights: ReadonlyMap<string, number>;
  total: number;
}

// Laplace's: a word that no example of a label has is rare, not impossible.
const smoothing = 1;
// Length of an example's vector of words: that of some sixty different ones, so that one sighting counts as about one.
const exampleLength = 8;
const maxWordsShown = 3;
const wordsPerStep = 256;
const learntPerStep = 2_048;

/** A word that is repeated says less each time (Rennie et al., 2003). */
const dampen = (count: number): number => Math.log2(1 + count);

const countWords = (text: string): WordCounts => {
  const counts = new Map<string, number>();
  for (const { stem } of findContentWords(text)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
};

/** What one example says of a label's words: all examples alike, however long they are (Rennie et al., 2003). */
const weighExample = (example: string): Map<string, number> => {
  const counts = countWords(example);
  const weights = new Map([...counts].map(([stem, count]) => [stem, dampen(count)]));
  let squares = 0;
  for (const weight of weights.values()) squares += weight * weight;
  for (const [stem, weight] of weights) weights.set(stem, (exampleLength * weight) / Math.sqrt(squares));
  return weights;
};

function* learn(name: string, examples: readonly string[]): Generator<void, LearntLabel> {
  const weights = new Map<string, number>();
  let total = 0;
  for (const example of examples) {
    for (const [stem, weight] of weighExample(example)) {
      weights.set(stem, (weights.get(stem) ?? 0) + weight);
      total += weight;
    }
    yield;
  }
  return { name, weights, total };
}

function* knownWords(labels: readonly LearntLabel[]): Generator<void, Map<string, KnownWord>> {
  const known = new Map<string, KnownWord>();
  let steps = 0;
  for (const [label, { weights }] of labels.entries()) {
    for (const [stem, weight] of weights) {
      const word = known.get(stem) ?? { gains: [], usualGain: 0 };
      const gain = Math.log1p(weight / smoothing);
      word.gains.push({ label, gain });
      word.usualGain += gain / labels.length;
      known.set(stem, word);
      if (++steps % learntPerStep === 0) yield;
    }
  }
  return known;
}

/**
 * Softmax of log-likelihoods, tempered by the root of the number of words: they are not independent, so that many of
 * them prove less than naive Bayes believes.
 */
const posteriors = (likelihoods: readonly number[], size: number): number[] => {
  const highest = likelihoods.reduce((best, likelihood) => Math.max(best, likelihood), -Infinity);
  const odds = likelihoods.map((likelihood) => Math.exp((likelihood - highest) / Math.sqrt(Math.max(1, size))));
  const sum = odds.reduce((total, value) => total + value, 0);
  return odds.map((value) => value / sum);
};

interface HeardWord {
  stem: string;
  weight: number;
  word: KnownWord;
}

const mostTelling = (heard: readonly HeardWord[], label: number): string[] =>
  heard
    .map(({ stem, weight, word }) => {
      const gain = word.gains.find((other) => other.label === label)?.gain ?? 0;
      return { stem, weight: weight * (gain - word.usualGain) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .slice(0, maxWordsShown)
    .map(({ stem }) => stem);

/**
 * Trains a multinomial classifier on the examples of a taxonomy's labels; null when fewer than two have any. Yields after
 * each example.
 */
export function* trainClassifier({ labels }: Taxonomy): Generator<void, Classifier | null> {
  const learnt: LearntLabel[] = [];
  for (const { name, examples } of labels) if (examples.length > 0) learnt.push(yield* learn(name, examples));
  if (learnt.length < 2) return null;
  const known = yield* knownWords(learnt);
  const byChance = 1 / learnt.length;
  const beyondChance = (value: number): number => Math.max(0, (value - byChance) / (1 - byChance));

  return {
    knows: (stem) => known.has(stem),
    *judge(counts) {
      const heard: HeardWord[] = [];
      const gains = new Float64Array(learnt.length);
      let size = 0;
      for (const [stem, count] of counts) {
        const word = known.get(stem);
        if (word === undefined) continue;
        const weight = dampen(count);
        heard.push({ stem, weight, word });
        size += weight;
        for (const { label, gain } of word.gains) gains[label] = (gains[label] ?? 0) + weight * gain;
        if (heard.length % wordsPerStep === 0) yield;
      }
      const likelihoods = learnt.map(
        ({ total }, label) => (gains[label] ?? 0) - size * Math.log(total / smoothing + known.size),
      );
      const values = size === 0 ? [] : posteriors(likelihoods, size);
      return {
        preferences: new Map(learnt.map(({ name }, label) => [name, beyondChance(values[label] ?? byChance)])),
        wordsFor: (name) =>
          mostTelling(
            heard,
            learnt.findIndex((label) => label.name === name),
          ),
      };
    },
  };
}
