import { findContentWords, sentenceSpans, type Span } from '@anabranch/text';

/** A sentence's terms, each once, and how often it has them. */
export interface SentenceTerms extends Span {
  /** Where its entries stand in `terms` and `counts`: from here to the next sentence's. */
  firstEntry: number;
  /** Terms, repeats included. */
  length: number;
  /** Whether it ends like a sentence. Headings, bylines, items of lists, rows and labels do not; mail quotes what was said before. */
  isWhole: boolean;
}

/** The sentences of a text as a sparse table: one row per sentence that has a term, one column per term. */
export interface TermTable {
  sentences: SentenceTerms[];
  /** Column of each entry, row by row. */
  terms: number[];
  counts: number[];
  /** Of each column: in how many sentences the term stands. */
  frequencies: number[];
  /** Sentences read, those without a term included. */
  sentenceCount: number;
}

const endsLikeSentence = /[.!?…。！？]["'”’»)\]]*$/u;
const isQuotedMail = /^>/;

const countsOf = (terms: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
};

/** Reads a text's sentences into a table. One pass; yields after each sentence. */
export function* readTerms(text: string): Generator<void, TermTable> {
  const columns = new Map<string, number>();
  const table: TermTable = { sentences: [], terms: [], counts: [], frequencies: [], sentenceCount: 0 };
  let first: Span | undefined;
  for (const span of sentenceSpans(text)) {
    first ??= span;
    table.sentenceCount += 1;
    const sentence = text.slice(span.begin, span.end);
    const terms = findContentWords(sentence).map(({ stem }) => stem);
    if (terms.length > 0) {
      const isWhole = endsLikeSentence.test(sentence) && !isQuotedMail.test(sentence);
      table.sentences.push({ ...span, firstEntry: table.terms.length, length: terms.length, isWhole });
      for (const [term, count] of countsOf(terms)) {
        const column = columns.get(term) ?? columns.size;
        columns.set(term, column);
        table.frequencies[column] = (table.frequencies[column] ?? 0) + 1;
        table.terms.push(column);
        table.counts.push(count);
      }
    }
    yield;
  }
  // A text without a term, such as one of emoji, still has a first sentence to show.
  if (table.sentences.length === 0 && first !== undefined) {
    table.sentences.push({ ...first, firstEntry: 0, length: 0, isWhole: false });
  }
  return table;
}
