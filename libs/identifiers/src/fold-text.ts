// Numbers are written in the digits of many scripts, with spaces and hyphens that look alike, and with characters in
// between that nobody sees (from web pages, from PDFs, or to hide them). Detectors read them all in one spelling.

// Soft hyphen, marks of direction, zero-width space, joiners and non-joiners, byte order mark.
const unseen = String.raw`\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff`;
const unseenRun = new RegExp(`[${unseen}]+`, 'g');

// The zeros of decimal digits; the nine others follow each of them.
const zeros = [
  0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0,
  0x1810, 0xff10,
];

/** One UTF-16 unit for another: nothing moves. */
const spellings: ReadonlyMap<string, string> = new Map([
  ...zeros.flatMap((zero) =>
    Array.from({ length: 10 }, (_, digit): [string, string] => [String.fromCharCode(zero + digit), String(digit)]),
  ),
  ...Array.from(
    '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f',
    (space): [string, string] => [space, ' '],
  ),
  ...Array.from('\u2010\u2011\u2212\ufe63\uff0d', (hyphen): [string, string] => [hyphen, '-']),
  ...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (letter): [string, string] => [
    String.fromCharCode(letter.charCodeAt(0) + 0xfee0),
    letter,
  ]),
]);
const otherSpelling = new RegExp(`[${[...spellings.keys()].join('')}]`, 'g');

/** A text as detectors read it. */
export interface FoldedText {
  text: string;
  /** Index in the text as it was of the unit that stands at an index of the folded one. */
  toOriginal(index: number): number;
}

/** Where unseen characters were: `at` counts in the folded text, `gone` is how many went up to there. */
interface Gap {
  at: number;
  gone: number;
}

function findGaps(text: string): Gap[] {
  const gaps: Gap[] = [];
  let gone = 0;
  for (const { index, 0: run } of text.matchAll(unseenRun)) {
    const at = index - gone;
    gone += run.length;
    gaps.push({ at, gone });
  }
  return gaps;
}

/** How many units went before an index of the folded text: binary search, for a text may have millions of gaps. */
function goneBefore(gaps: readonly Gap[], index: number): number {
  let [low, high] = [0, gaps.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((gaps[middle]?.at ?? Infinity) <= index) low = middle + 1;
    else high = middle;
  }
  return gaps[low - 1]?.gone ?? 0;
}

/** A piece of text in the spelling of detectors: ASCII digits, spaces and hyphens, and nothing that cannot be seen. */
export function fold(text: string): string {
  return text.replace(unseenRun, '').replace(otherSpelling, (character) => spellings.get(character) ?? character);
}

/** The same of a whole text, with the way back. Most texts are as they should be, and stay the same string. */
export function foldText(text: string): FoldedText {
  const gaps = findGaps(text);
  const toOriginal = gaps.length === 0 ? (index: number) => index : (index: number) => index + goneBefore(gaps, index);
  return { text: fold(text), toOriginal };
}
