import { notOpinions, opinionWeights } from './lexicon.js';

/** How a derived word ends, and what stood there in the word that it comes from. */
const endings: readonly (readonly [ending: RegExp, origins: readonly string[]])[] = [
  [/^(.{3,})ily$/, ['y']],
  [/^(.{4,})ly$/, ['', 'le', 'y']],
  [/^(.{4,})iness$/, ['y']],
  [/^(.{4,})ness$/, ['']],
  [/^(.{4,})ie(?:r|st)$/, ['y']],
  [/^(.{5,})est$/, ['', 'e']],
  [/^(.{5,})ful$/, ['']],
];
const opposite = /^(?:un|dis|non-?)(.{4,})$/;

const originsOf = (word: string): string[] =>
  endings.flatMap(([ending, origins]) => {
    const stem = ending.exec(word)?.[1];
    return stem === undefined ? [] : origins.map((origin) => stem + origin);
  });

const weigh = (word: string): number => {
  if (notOpinions.has(word)) return 0;
  for (const origin of originsOf(word)) {
    const weight = opinionWeights.get(origin);
    if (weight !== undefined) return weight;
  }
  // "unhelpful" is bad; "unstressed" says nothing.
  return -Math.max(0, opinionWeights.get(opposite.exec(word)?.[1] ?? '') ?? 0);
};

const known = new Map<string, number>();
const keptWords = 10_000;

/** Weight of a lower-case word that the lexicon lacks, by the word that it comes from: brilliantly, ugliest, unhelpful. 0: none. */
export function derivedWeight(word: string): number {
  const found = known.get(word);
  if (found !== undefined) return found;
  if (known.size >= keptWords) known.clear();
  const weight = weigh(word);
  known.set(word, weight);
  return weight;
}
