import type { Span } from './span.js';

/** A word and where it stands, in UTF-16 units of the string that was searched. */
export interface Word extends Span {
  text: string;
}

// One pass, no backtracking: each character is read once. Apostrophes join only before a letter (don't, l’eau).
const word = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’][\p{L}\p{M}]+)*/gu;

/** Words of a piece of text, in order: runs of letters, marks and digits, with inner apostrophes. */
export function findWords(text: string): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(word)) {
    words.push({ text: match[0], begin: match.index, end: match.index + match[0].length });
  }
  return words;
}
