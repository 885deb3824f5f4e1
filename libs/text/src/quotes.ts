import type { Span } from './span.js';

/** Finds what somebody claims to have read in a text. */
export interface QuoteFinder {
  /**
   * Where a quote stands, in UTF-16 units, in order and without overlap: as it is written or else, when it stands nowhere
   * so, but for case, white space and the form of quotation marks and dashes. Within words it does not count.
   */
  find(quote: string): Span[];
}

const sameForms: Readonly<Record<string, string>> = {
  '‘': "'", '’': "'", '‚': "'", '‛': "'", '“': '"', '”': '"', '„': '"', '‟': '"', '‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-',
}; // prettier-ignore
const space = /\s/;
const lowSurrogate = /[\udc00-\udfff]/;
const wordCharacter = /[\p{L}\p{M}\p{N}_]/u;
// Written without spaces between words: what stands next to a quote says nothing.
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** A text in one form, and where each of its units comes from. */
interface Folded {
  text: string;
  /** For each unit, the index of the unit that it was made of; one more, for the end. */
  origins: number[];
}

const fold = (text: string): Folded => {
  const units: string[] = [];
  const origins: number[] = [];
  let isAfterSpace = true;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charAt(index);
    const isSpace = space.test(unit);
    if (isSpace && isAfterSpace) continue;
    isAfterSpace = isSpace;
    for (const folded of isSpace ? ' ' : (sameForms[unit] ?? unit.toLowerCase())) {
      for (let part = 0; part < folded.length; part += 1) origins.push(index);
      units.push(folded);
    }
  }
  origins.push(text.length);
  return { text: units.join(''), origins };
};

const characterAt = (text: string, index: number): string => {
  const code = text.codePointAt(index);
  return code === undefined ? '' : String.fromCodePoint(code);
};

const characterBefore = (text: string, index: number): string => {
  const isPair = index > 1 && lowSurrogate.test(text.charAt(index - 1));
  return isPair ? characterAt(text, index - 2) : text.charAt(index - 1);
};

const joins = (one: string, other: string): boolean =>
  wordCharacter.test(one) && wordCharacter.test(other) && !unspaced.test(one) && !unspaced.test(other);

/** Whether a span begins or ends inside of a word. */
const cutsWord = (text: string, { begin, end }: Span): boolean =>
  joins(characterBefore(text, begin), characterAt(text, begin)) ||
  joins(characterBefore(text, end), characterAt(text, end));

function occurrences(text: string, quote: string): Span[] {
  const spans: Span[] = [];
  for (let begin = text.indexOf(quote); begin !== -1;) {
    const span = { begin, end: begin + quote.length };
    const isWhole = !cutsWord(text, span);
    if (isWhole) spans.push(span);
    begin = text.indexOf(quote, isWhole ? span.end : begin + 1);
  }
  return spans;
}

/** A finder for one text, which it reads once. Meant for texts of some thousand characters: a chunk. */
export function createQuoteFinder(text: string): QuoteFinder {
  let folded: Folded | null = null;
  return {
    find(quote) {
      const wanted = quote.trim();
      // Half of a pair stands in many texts, and is no character.
      if (wanted === '' || !wanted.isWellFormed()) return [];
      const exact = occurrences(text, wanted);
      if (exact.length > 0) return exact;
      folded ??= fold(text);
      const { origins } = folded;
      const form = fold(wanted).text.trim();
      if (form === '') return [];
      const place = ({ begin, end }: Span): Span => ({
        begin: origins[begin] ?? 0,
        // The end of the last unit, not the begin of the next: white space may stand between them.
        end: (origins[end - 1] ?? 0) + 1,
      });
      return occurrences(folded.text, form).map(place);
    },
  };
}
