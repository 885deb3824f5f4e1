import { isFunctionWord } from './english.js';

const word = /[a-z]+/g;
/** Neither ASCII nor the dashes and quotation marks of word processors. */
const foreign = /[^ -~\s\u2010-\u2026]/;
const leastWords = 12;
const leastShare = 0.4;

/**
 * Whether nobody could take a text for anything but English: two words in five are English function words, "the" among
 * them. In other languages a sixth of the words look like one at most, a third where they were sought for that purpose
 * (measured on `docs/quality.md`'s texts, and on those of the spec). Costs a tenth of what asking a detector does.
 */
export function isPlainlyEnglish(text: string): boolean {
  if (foreign.test(text)) return false;
  const words = text.toLowerCase().match(word) ?? [];
  const common = words.filter(isFunctionWord);
  return words.length >= leastWords && common.length >= words.length * leastShare && common.includes('the');
}
