import { findContentWords, sentenceSpans, type Span } from '@anabranch/text';
import { type Column, createColumn } from './column.js';

/** A sentence that has a term. */
export interface SentenceTerms extends Span {
  /** Terms, repeats included. */
  length: number;
  /** Whether it ends like a sentence. Headings, bylines, items of lists, rows and labels do not; mail quotes what was said before. */
  isWhole: boolean;
}

/** The sentences of a text as a sparse table: one row per sentence that has a term, one column per term. */
export interface TermTable {
  rows: number;
  sentenceAt(row: number): SentenceTerms;
  /** Of each row: where its entries stand in `terms` and `counts`, up to those of the next. */
  firstEntries: Column;
  /** Column of each entry, row by row. */
  terms: Column;
  /** How often the row's sentence has the term. */
  counts: Column;
  /** Of each column: in how many sentences the term stands. */
  frequencies: Column;
  /** Sentences read, those without a term included. */
  sentenceCount: number;
  /** Rows, and UTF-16 units of them, that end like sentences; and all units. */
  whole: { rows: number; length: number; of: number };
}

const endsLikeSentence = /[.!?…。！？]["'”’»)\]]*$/u;
const isQuotedMail = /^>/;

// Natural text of ten million characters has some eighty thousand. What comes first so late is central to nothing.
const maxDistinctTerms = 300_000;

const countsOf = (terms: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
};

/** Adds the entries of a row, one per distinct term, and counts the row for each. */
const createTermCounter = (maxDistinct: number) => {
  const columns = new Map<string, number>();
  const [terms, counts, frequencies] = [createColumn(), createColumn(), createColumn()];
  const columnOf = (term: string): number | undefined => {
    const known = columns.get(term);
    if (known !== undefined || columns.size >= maxDistinct) return known;
    columns.set(term, columns.size);
    frequencies.push(0);
    return columns.size - 1;
  };
  return {
    terms,
    counts,
    frequencies,
    add(found: readonly string[]): void {
      for (const [term, count] of countsOf(found)) {
        const column = columnOf(term);
        if (column === undefined) continue;
        frequencies.set(column, frequencies.at(column) + 1);
        terms.push(column);
        counts.push(count);
      }
    },
  };
};

/** The rows, a column for each of their properties. */
const createRows = () => {
  const [begins, ends, lengths, wholes] = [createColumn(), createColumn(), createColumn(), createColumn()];
  const whole = { rows: 0, length: 0, of: 0 };
  return {
    begins,
    whole,
    add({ begin, end, length, isWhole }: SentenceTerms): void {
      begins.push(begin);
      ends.push(end);
      lengths.push(length);
      wholes.push(isWhole ? 1 : 0);
      whole.of += end - begin;
      whole.rows += isWhole ? 1 : 0;
      whole.length += isWhole ? end - begin : 0;
    },
    at: (row: number): SentenceTerms => ({
      begin: begins.at(row),
      end: ends.at(row),
      length: lengths.at(row),
      isWhole: wholes.at(row) === 1,
    }),
  };
};

/** Reads a text's sentences into a table. One pass; yields after each sentence. */
export function* readTerms(text: string, maxDistinct = maxDistinctTerms): Generator<void, TermTable> {
  const { add, terms, counts, frequencies } = createTermCounter(maxDistinct);
  const rows = createRows();
  const firstEntries = createColumn();
  let sentenceCount = 0;
  let first: Span | undefined;
  for (const span of sentenceSpans(text)) {
    first ??= span;
    sentenceCount += 1;
    const sentence = text.slice(span.begin, span.end);
    const found = findContentWords(sentence).map(({ stem }) => stem);
    if (found.length > 0) {
      const isWhole = endsLikeSentence.test(sentence) && !isQuotedMail.test(sentence);
      firstEntries.push(terms.length);
      rows.add({ ...span, length: found.length, isWhole });
      add(found);
    }
    yield;
  }
  // A text without a term, such as one of emoji, still has a first sentence to show.
  if (firstEntries.length === 0 && first !== undefined) {
    firstEntries.push(0);
    rows.add({ ...first, length: 0, isWhole: false });
  }
  const { whole, at: sentenceAt } = rows;
  return { rows: firstEntries.length, sentenceAt, firstEntries, terms, counts, frequencies, sentenceCount, whole };
}
