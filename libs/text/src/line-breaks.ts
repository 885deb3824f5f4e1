import type { Span } from './span.js';

// How many lines tell whether a text is wrapped.
const sampledLines = 2_000;
const [narrowestWrap, widestWrap] = [20, 140];

/**
 * Column at which a text's lines were wrapped; null when line breaks are the author's own: most lines of a wrapped text
 * are nearly equally long.
 */
const wrapColumn = (text: string): number | null => {
  const lengths: number[] = [];
  for (let begin = 0; begin < text.length && lengths.length < sampledLines;) {
    const found = text.indexOf('\n', begin);
    const end = found === -1 ? text.length : found;
    if (text.slice(begin, Math.min(end, begin + widestWrap)).trim() !== '') lengths.push(end - begin);
    begin = end + 1;
  }
  lengths.sort((one, other) => one - other);
  const column = lengths[Math.ceil((lengths.length - 1) * 0.9)] ?? 0;
  const full = lengths.filter((length) => length >= column * 0.8).length;
  return column >= narrowestWrap && column <= widestWrap && full >= lengths.length * 0.4 ? column : null;
};

// What stands before the first word of a line in mail.
const quoted = /^[>|\s]+/;
const bullet = /^\s{0,20}(?:[-–—*•▪◦·‣○●■□✓➢]|\(?(?:\p{L}|\d{1,3}|[ivxlc]{1,5})\))\s/iu;
const itemNumber = /^\s{0,20}\d{1,3}(?:\.\d{1,3}){0,4}\.?\s/u;
// Columns of a table, or of a letter's head.
const hasColumns = /\S(?:[ \u00a0]{4}|\t)\s*\S/;
const endsThought = /[.!?…:][\s"'”’)\]]*$/u;
const goesOnInSmallLetters = /^[>|\s]*\p{Ll}/u;

/**
 * Cuts sentences at line breaks that end a thought: headlines, addresses, lists, one sentence a line. A break that only
 * wraps a line cuts nothing: the next word would not have fitted, or is a small one. Sentences must come in order: it
 * walks on with them.
 */
export function createLineCutter(text: string): (sentence: Span) => Span[] {
  const nextBreak = (from: number): number => {
    const found = text.indexOf('\n', from);
    return found === -1 ? Infinity : found;
  };
  let lineBegin = 0;
  let lineEnd = nextBreak(0);
  const nextLine = (): void => {
    lineBegin = lineEnd + 1;
    lineEnd = nextBreak(lineBegin);
  };
  const column = lineEnd === Infinity ? null : wrapColumn(text);
  const isFull = (next: string): boolean =>
    column !== null && lineEnd - lineBegin + 1 + next.replace(quoted, '').search(/\s|$/) > column;
  const isWrapped = (): boolean => {
    const next = text.slice(lineEnd + 1, lineEnd + 1 + widestWrap);
    const line = text.slice(Math.max(lineBegin, lineEnd - widestWrap), lineEnd);
    const isFinished = endsThought.test(line.slice(-8));
    if (bullet.test(next) || hasColumns.test(line) || (isFinished && itemNumber.test(next))) return false;
    return isFull(next) || (!isFinished && goesOnInSmallLetters.test(next));
  };
  return ({ begin, end }) => {
    const pieces: Span[] = [];
    while (lineEnd < begin) nextLine();
    let from = begin;
    for (; lineEnd < end; nextLine()) {
      if (isWrapped()) continue;
      pieces.push({ begin: from, end: lineEnd });
      from = lineEnd + 1;
    }
    pieces.push({ begin: from, end });
    return pieces;
  };
}
