import { findWords, type Span, stemEnglish, type Word } from '@anabranch/text';
import type { Taxonomy, TaxonomyLabel } from '@anabranch/rules';

/** A keyword that stands in a sentence, in UTF-16 units of it. */
export interface KeywordHit extends Span {
  label: string;
  keyword: string;
}

interface Keyword {
  label: string;
  keyword: string;
  stems: readonly string[];
}

/** Finds the keywords of a taxonomy in a sentence. */
export interface KeywordIndex {
  find(sentence: string): KeywordHit[];
}

const stemOf = ({ text }: Word): string => stemEnglish(text.toLowerCase().replaceAll('’', "'"));

/** A label that brings nothing to recognise it by is looked for by its name. */
const keywordsOf = ({ name, keywords, patterns, examples }: TaxonomyLabel): readonly string[] =>
  keywords.length + patterns.length + examples.length === 0 ? [name] : keywords;

const standsAt = ({ stems }: Keyword, sentence: readonly string[], place: number): boolean =>
  stems.every((stem, index) => sentence[place + index] === stem);

/** Of each label the longest keyword at a place counts, not the shorter ones within it. */
function* longestAt(keywords: readonly Keyword[], sentence: readonly string[], place: number): Generator<Keyword> {
  const seen = new Set<string>();
  for (const keyword of keywords) {
    if (seen.has(keyword.label) || !standsAt(keyword, sentence, place)) continue;
    seen.add(keyword.label);
    yield keyword;
  }
}

/** Longest first, so that a longer keyword is met before one that it begins with. */
const byLength = (one: Keyword, other: Keyword): number => other.stems.length - one.stems.length;

const sortedPerStep = 256;

/** A taxonomy's keywords by their first stem, longest first. Yields after each label, and while it sorts. */
function* groupByFirstStem({ labels }: Taxonomy): Generator<void, ReadonlyMap<string, readonly Keyword[]>> {
  const byFirst = new Map<string, Keyword[]>();
  for (const label of labels) {
    for (const keyword of keywordsOf(label)) {
      const stems = findWords(keyword).map(stemOf);
      const [first] = stems;
      if (first === undefined) continue;
      const group = byFirst.get(first) ?? [];
      if (group.push({ label: label.name, keyword, stems }) === 1) byFirst.set(first, group);
    }
    yield;
  }
  let sorted = 0;
  for (const group of byFirst.values()) {
    group.sort(byLength);
    sorted += group.length;
    if (sorted < sortedPerStep) continue;
    sorted = 0;
    yield;
  }
  return byFirst;
}

/**
 * Prepares a taxonomy's keywords: a hundred thousand of them take a quarter of a second, so it yields in between. They
 * match whole words, by their stems, in any case and with either apostrophe.
 */
export function* indexKeywords(taxonomy: Taxonomy): Generator<void, KeywordIndex> {
  const byFirst = yield* groupByFirstStem(taxonomy);
  return {
    find(sentence) {
      const words = findWords(sentence);
      const stems = words.map(stemOf);
      const hits: KeywordHit[] = [];
      for (const [place, { begin }] of words.entries()) {
        for (const { label, keyword, stems: found } of longestAt(byFirst.get(stems[place] ?? '') ?? [], stems, place)) {
          hits.push({ label, keyword, begin, end: words[place + found.length - 1]?.end ?? begin });
        }
      }
      return hits;
    },
  };
}
