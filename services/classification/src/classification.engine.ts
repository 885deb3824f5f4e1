import type { ClassificationResultInput, LabelScoreInput } from '@anabranch/contracts';
import type { Taxonomy } from '@anabranch/rules';
import { findContentWords, type Offsets, sentenceSpans, type Span } from '@anabranch/text';
import { createEvidence, type Evidence, type Hit } from './label-evidence.js';
import type { ExampleVerdict } from './naive-bayes.js';
import { prepareTaxonomy, type PreparedTaxonomy } from './prepared-taxonomy.js';

/** What the engine reads: a cleaned text, its table of offsets, and the classes to choose from. */
export interface ClassificationInput {
  text: string;
  offsets: Offsets;
  taxonomy: Taxonomy;
}

interface WeighedLabel {
  name: string;
  weight: number;
}

// What the examples say counts as much as all keywords and patterns together, and at least as much as so many of them.
const minExampleWeight = 3;
// Part of every sum, so that a single hit in a text is no certainty: for shares of all evidence, and for a label alone.
const doubt = { shared: 1, alone: 2 };
// Words of the examples are shown for the best labels only: they speak for most labels a little.
const labelsShownByExample = 5;

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

/** A document's known words: how often each stands in it, and where first. */
const createWordReader = (knows: (stem: string) => boolean) => {
  const counts = new Map<string, number>();
  const firstPlaces = new Map<string, Span>();
  return {
    counts,
    firstPlaces,
    read(sentence: string, { begin: start }: Span): void {
      for (const { stem, begin, end } of findContentWords(sentence)) {
        if (!knows(stem)) continue;
        counts.set(stem, (counts.get(stem) ?? 0) + 1);
        if (!firstPlaces.has(stem)) firstPlaces.set(stem, { begin: start + begin, end: start + end });
      }
    },
  };
};

type ReadWords = ReturnType<typeof createWordReader>;

/** Reads a text sentence by sentence for keywords, patterns and words of the examples. */
function* read(text: string, prepared: PreparedTaxonomy, evidence: Evidence): Generator<void, ReadWords> {
  const { keywords, patterns, classifier } = prepared;
  const words = createWordReader(classifier?.knows ?? (() => false));
  for (const sentence of sentenceSpans(text)) {
    const spelled = text.slice(sentence.begin, sentence.end);
    const at = ({ begin, end }: Span): Span => ({ begin: sentence.begin + begin, end: sentence.begin + end });
    for (const { label, keyword, ...span } of keywords.find(spelled)) {
      evidence.add({ label, source: 'keyword', rule: keyword, ...at(span) });
    }
    const lower = patterns.length === 0 ? '' : spelled.toLowerCase();
    for (const { label, source, pattern } of patterns) {
      for (const span of pattern.find(spelled, lower))
        evidence.add({ label, source: 'pattern', rule: source, ...at(span) });
      yield;
    }
    if (classifier !== null) words.read(spelled, sentence);
    yield;
  }
  return words;
}

const byPlace = (one: number, other: number): number => (one === other ? 0 : one - other);

/** Best first; of two equal ones the one that the text speaks of first. */
const rank = (
  { labels, multiLabel }: Taxonomy,
  weightOf: (label: string) => number,
  firstPlaceOf: Evidence['firstPlaceOf'],
): WeighedLabel[] => {
  const weighed = labels.map(({ name }) => ({ name, weight: weightOf(name) }));
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
  const scoreOf = (weight: number): number =>
    multiLabel ? weight / (weight + doubt.alone) : weight / (total + doubt.shared);
  return weighed
    .map(({ name, weight }) => ({ name, weight: round(scoreOf(weight)) }))
    .sort((one, other) => other.weight - one.weight || byPlace(firstPlaceOf(one.name), firstPlaceOf(other.name)));
};

/** The words of the examples that speak for a label, where they first stand. */
const exampleHits = (verdict: ExampleVerdict, { firstPlaces }: ReadWords, label: string): Omit<Hit, 'rule'>[] => {
  if ((verdict.preferences.get(label) ?? 0) === 0) return [];
  const places = verdict.wordsFor(label).map((stem) => firstPlaces.get(stem));
  return places.filter((place) => place !== undefined).map((place) => ({ label, source: 'example', ...place }));
};

const reasonFor = (best: LabelScoreInput | undefined, threshold: number): string => {
  if (best === undefined || best.score === 0) return 'Nothing in the text speaks for a label of the taxonomy.';
  return `The best label, ${best.name}, has a score of ${best.score}, below the threshold of ${threshold}.`;
};

/** The result of ranked labels, best first: the best one holds when it reaches the threshold. */
export const judge = (taxonomy: Taxonomy, labels: LabelScoreInput[]): ClassificationResultInput => {
  const { id, version, multiLabel, threshold } = taxonomy;
  const [best] = labels;
  const score = best?.score ?? 0;
  const holds = best !== undefined && score > 0 && score >= threshold;
  return {
    taxonomy: { id, version },
    multiLabel,
    threshold,
    label: holds ? best.name : null,
    reason: holds ? null : reasonFor(best, threshold),
    labels,
  };
};

/**
 * Ranks the labels of a taxonomy by what speaks for them in the text: keywords, patterns, and likeness to the examples.
 * A label's score is its share of all evidence or, in a taxonomy of several labels per document, a measure of its own
 * evidence. Below the threshold the label is null, with a reason; the ranked list is always complete. Linear; yields
 * after each sentence.
 */
export function* classify(input: ClassificationInput): Generator<void, ClassificationResultInput> {
  const { text, offsets, taxonomy } = input;
  const prepared = yield* prepareTaxonomy(taxonomy);
  const evidence = createEvidence(taxonomy, text, offsets);
  const words = yield* read(text, prepared, evidence);
  const verdict = prepared.classifier === null ? null : yield* prepared.classifier.judge(words.counts);
  const ruleWeight = taxonomy.labels.reduce((sum, { name }) => sum + evidence.weightOf(name), 0);
  const exampleWeight = Math.max(minExampleWeight, ruleWeight);
  const ranked = rank(
    taxonomy,
    (name) => evidence.weightOf(name) + exampleWeight * (verdict?.preferences.get(name) ?? 0),
    evidence.firstPlaceOf,
  );
  if (verdict !== null) {
    const best = ranked.slice(0, labelsShownByExample);
    best.flatMap(({ name }) => exampleHits(verdict, words, name)).forEach(evidence.show);
  }
  const labels = ranked.map(({ name, weight }): LabelScoreInput => ({
    name,
    score: weight,
    scoreKind: 'RANK',
    evidence: evidence.placesOf(name),
  }));
  return judge(taxonomy, labels);
}
