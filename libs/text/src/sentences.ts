import { isFunctionWord } from './english.js';
import { createLineCutter } from './line-breaks.js';
import { createOffsets, type Offsets } from './offsets.js';
import type { Span } from './span.js';

/** A sentence and where it stands, in code points, end exclusive. `text` is verbatim, line ends included. */
export interface Sentence {
  text: string;
  begin: number;
  end: number;
}

/** Longest sentence, in UTF-16 units: longer runs (tables, text without a stop) are cut, at white space if there is any. */
export const maxSentenceLength = 4_096;
// Bounds one call of the segmenter (about a millisecond), so that a caller that yields between sentences never blocks for long.
const maxBlockLength = 131_072;
const blockSearchLength = 16_384;
const paragraphEnd = '\u2029';

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
// `\r(?!\n)`: else backtracking would read one CRLF as two line ends.
const blankLine = /(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r(?!\n))/g;
const space = /\s/;

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
// Before a name; written with a capital, since "a sales rep." and "the new col." end sentences.
const titles = words(
  'Mr Mrs Ms Dr Prof Rev Hon Gen Col Maj Capt Cpt Cmdr Lt Sgt Cpl Gov Sen Rep Sens Reps Govs Pres Messrs Mme Mlle Sr Sra Fr Insp Supt',
);
// In the middle of a sentence, whatever follows.
const joining = words('vs cf e.g i.e viz approx ed eds');
// Before a number, or a letter that counts as one: "No. 4", "Fig. B", "Sept. 11".
const numbered = words(
  'no nos fig figs eq eqs sec secs art arts ch vol vols pp p para paras ex exh ser ' +
    'jan feb mar apr jun jul aug sep sept oct nov dec',
);
const number = /^[("'“‘[#]{0,2}(?:\d|[IVXLC]{2,5}\b|[B-HJ-Z]\b)/u;
// "Apple Inc. Chief Executive Tim Cook": what a company's name may be followed by.
const companies = words('inc corp co ltd plc');
const office = /^(?:Chief|Chair|President|C[EFOT]O\b|Vice|Executive|Founder|Director|Spokes)/;
// What may end a sentence, and mostly does before a word that begins one: the Jr., a St., al., and initials in a row.
const either = words('jr sr st mt ft al');
const initials = /^(?:\p{Lu}\.)+\p{Lu}$/u;
// Words that stand at the begin of sentences and hardly ever in names, beside those without a meaning of their own.
const openers = words(
  'according additionally although authorities both critics currently despite earlier eventually experts finally four ' +
    'instead last later meanwhile moreover nearly nobody officials people police recently since sometimes still ' +
    'thousands three today tomorrow tonight two yesterday when where yes',
);
const opensSentence = (next: string): boolean => {
  const word = /^[^\p{L}\d]{0,3}(\p{L}[\p{L}\p{M}'’]*)/u.exec(next)?.[1]?.toLowerCase();
  return word === undefined || isFunctionWord(word) || openers.has(word);
};
const lastToken = /(?:^|[\s("'“‘[])([\p{L}\p{M}.]{1,12})\.[^\S\u2029]*$/u;
const initial = /^\p{Lu}$/u;
// The number of a list's item belongs to the item.
const itemNumber = /^\s*\(?(?:\d{1,3}|\p{L}|[ivxlc]{1,5})[.)][^\S\u2029]*$/iu;
// “Stop!” he said: what is said ends, and not the sentence.
const saidAloud = /[!?]["'”’»)]{1,2} *$/;
const inSmallLetters = /^\p{Ll}/u;
const lookAhead = 32;

/** Whether a sentence goes on after a piece that the segmenter cut off before `next`. */
const goesOn = (segment: string, next: string): boolean => {
  if (segment.length < 24 && itemNumber.test(segment)) return true;
  const end = segment.slice(-24);
  if (saidAloud.test(end)) return inSmallLetters.test(next);
  const token = lastToken.exec(end)?.[1];
  if (token === undefined) return false;
  const lower = token.toLowerCase();
  if (titles.has(token) || joining.has(lower) || initial.test(token)) return true;
  if (numbered.has(lower)) return number.test(next);
  if (companies.has(lower)) return office.test(next);
  return (either.has(lower) || initials.test(token)) && !opensSentence(next);
};

const trim = (text: string, { begin, end }: Span): Span => {
  const piece = text.slice(begin, end).trimStart();
  const first = end - piece.length;
  return { begin: first, end: first + piece.trimEnd().length };
};

/** Where to cut text[begin, end): after the last white space before the limit, else at it, never inside a pair. */
const cutAt = (text: string, { begin, end }: Span, limit: number): number => {
  if (end - begin <= limit) return end;
  const latest = begin + limit;
  for (let index = latest; index > begin + limit / 2; index -= 1) {
    if (space.test(text.charAt(index - 1))) return index;
  }
  const isInsidePair = /[\udc00-\udfff]/.test(text.charAt(latest));
  return isInsidePair ? latest - 1 : latest;
};

function* cut(text: string, span: Span, limit: number): Generator<Span> {
  for (let begin = span.begin; begin < span.end;) {
    const end = cutAt(text, { begin, end: span.end }, limit);
    yield { begin, end };
    begin = end;
  }
}

/** Pieces that no sentence crosses, cut at a blank line where there is one in the last part. */
function* blocks(text: string): Generator<Span> {
  for (let begin = 0; begin < text.length;) {
    let end = cutAt(text, { begin, end: text.length }, maxBlockLength);
    if (end < text.length) {
      const lastPart = end - blockSearchLength;
      const blank = [...text.slice(lastPart, end).matchAll(blankLine)].at(-1);
      if (blank !== undefined) end = lastPart + blank.index + blank[0].length;
    }
    yield { begin, end };
    begin = end;
  }
}

/** A block for the segmenter, of the same length: blank lines end a paragraph, other line ends are soft. */
const flatten = (block: string): string =>
  block.replace(blankLine, (blank) => paragraphEnd.padEnd(blank.length)).replace(/[\r\n]/g, ' ');

/** The segmenter's pieces of a block, with those joined that an abbreviation parted. */
function* joinedSegments(text: string, block: Span): Generator<Span> {
  const flat = flatten(text.slice(block.begin, block.end));
  if (flat.trim() === '') return;
  let begin = 0;
  for (const { segment, index } of segmenter.segment(flat)) {
    const end = index + segment.length;
    const mayGrow = end < flat.length && end - begin < maxSentenceLength;
    if (mayGrow && goesOn(segment, flat.slice(end, end + lookAhead))) continue;
    yield { begin: block.begin + begin, end: block.begin + end };
    begin = end;
  }
}

/** A line or more without the white space around it, in pieces that are not too long. */
function* pieces(text: string, segment: Span): Generator<Span> {
  for (const piece of cut(text, trim(text, segment), maxSentenceLength)) {
    const sentence = trim(text, piece);
    if (sentence.begin < sentence.end) yield sentence;
  }
}

/**
 * Sentences in order, lazily, in UTF-16 units and without the white space around them. Blank lines always end one, other
 * line breaks where they end a thought.
 * Between two sentences at most one block is read, so a caller may pause after each.
 */
export function* sentenceSpans(text: string): Generator<Span> {
  const cutLines = createLineCutter(text);
  for (const block of blocks(text)) {
    for (const segment of joinedSegments(text, block)) {
      for (const lines of cutLines(segment)) yield* pieces(text, lines);
    }
  }
}

/** All sentences of a text with code-point offsets: `text[begin, end)` is exactly `sentence.text`. */
export function splitSentences(text: string, offsets: Offsets = createOffsets(text)): Sentence[] {
  return Array.from(sentenceSpans(text), ({ begin, end }) => ({
    text: text.slice(begin, end),
    begin: offsets.toCodePoint(begin),
    end: offsets.toCodePoint(end),
  }));
}
