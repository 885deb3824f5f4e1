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

/** Prepares a taxonomy's keywords. They match whole words, by their stems, in any case and with either apostrophe. */
export function indexKeywords({ labels }: Taxonomy): KeywordIndex {
  const keywords = labels.flatMap((label) =>
    keywordsOf(label).map((keyword) => ({ label: label.name, keyword, stems: findWords(keyword).map(stemOf) })),
  );
  const byFirst = Map.groupBy(
    keywords.filter(({ stems }) => stems.length > 0).sort((one, other) => other.stems.length - one.stems.length),
    ({ stems: [first = ''] }) => first,
  );
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
