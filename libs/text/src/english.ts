// English as far as engines that count words need it.
import { findWords, type Word } from './words.js';

/** English words, lower-case, with either apostrophe, that say nothing about a text's subject. */
const functionWords: ReadonlySet<string> = new Set(
  (
    'a about above after again against all also although am among an and another any are aren’t around as at be because ' +
    'been before being below between both but by can can’t cannot could couldn’t did didn’t do does doesn’t doing don’t ' +
    'down during each either else even ever every few for from further had hadn’t has hasn’t have haven’t having he her ' +
    'here hers herself him himself his how however i if in into is isn’t it it’s its itself just least less let like ' +
    'many may me might mine more most much must my myself neither never no nor not now of off often on once one only or ' +
    'other others ought our ours ourselves out over own per perhaps quite rather said same shall she should shouldn’t ' +
    'since so some somehow someone something still such than that that’s the their theirs them themselves then there ' +
    'these they this those though through thus to too toward towards two under until unto up upon us very was wasn’t we ' +
    'well were weren’t what whatever when where whether which while who whom whose why will with within without won’t ' +
    'would wouldn’t yet you your yours yourself yourselves'
  ).split(' '),
);

/** Whether a lower-case English word says nothing about a text's subject. */
export function isFunctionWord(word: string): boolean {
  return functionWords.has(word.includes("'") ? word.replaceAll("'", '’') : word);
}

const possessive = /['’]s$/;
const derivational = /^(.{4,}?)(?:ations?|ments?|ings?|ed|ly|al|ic)$/;
const doubled = /([bdfgmnprt])\1$/;

const singular = (word: string): string => {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return /[^siu]s$/.test(word) ? word.slice(0, -1) : word;
};

const withoutDerivation = (word: string): string => {
  const shorter = word.length > 6 ? word.replace(derivational, '$1') : word;
  return shorter === word ? word : withoutDerivation(shorter);
};

/**
 * A light stem of a lower-case English word, so that "elections" meets "election", and "licensing" "license": plurals,
 * the commonest derivations and a final e go. Not a word, and no root: only good for comparing with other stems.
 */
export function stemEnglish(word: string): string {
  if (word.length < 4) return word;
  const base = singular(word.replace(possessive, ''));
  const derived = withoutDerivation(base);
  const stem = derived !== base && doubled.test(derived) ? derived.slice(0, -1) : derived;
  return stem.length > 5 && stem.endsWith('e') ? stem.slice(0, -1) : stem;
}

/** A word that says something about its text's subject, and its stem. */
export interface ContentWord extends Word {
  stem: string;
}

const minContentLength = 2;

/** The content words of a piece of English text, in order, in UTF-16 units of it. */
export function findContentWords(text: string): ContentWord[] {
  const found: ContentWord[] = [];
  for (const word of findWords(text)) {
    const lower = word.text.toLowerCase();
    if (lower.length >= minContentLength && !isFunctionWord(lower)) found.push({ ...word, stem: stemEnglish(lower) });
  }
  return found;
}
