import type { Accepted, Candidate, Validator } from './identifier.js';

type Accept = (candidate: Candidate) => Accepted | null;

/** The whole candidate, confirmed by `validator`. */
export const wholeOf = ({ text }: Candidate, validator: Validator): Accepted => ({
  begin: 0,
  end: text.length,
  validator,
});

/** Accepts a candidate as a whole when it passes. */
export function acceptIf(validator: Validator, isReal: (text: string) => boolean): Accept {
  return (candidate) => (isReal(candidate.text) ? wholeOf(candidate, validator) : null);
}

/** Accepts a candidate that passes and has one of the words near it: for values that many harmless numbers equal. */
export function acceptNear(validator: Validator, words: RegExp, isReal: (text: string) => boolean): Accept {
  return (candidate) => (isReal(candidate.text) && hasNear(candidate, words) ? wholeOf(candidate, validator) : null);
}

/**
 * Accepts the longest prefix of whole groups that passes: a candidate may have swallowed the group after it
 * ("… 1111 2027").
 */
export function acceptGroups(validator: Validator, isReal: (text: string) => boolean): Accept {
  return ({ text }) => {
    for (let end = text.length; end > 0; end = groupStart(text, end)) {
      if (isReal(text.slice(0, end))) return { begin: 0, end, validator };
    }
    return null;
  };
}

/** Where the last group of text[0, end) is parted from the one before it; 0 when it is the only one. */
export const groupStart = (text: string, end: number): number => {
  let at = end - 1;
  while (at > 0 && !/[ \u00a0–-]/.test(text.charAt(at))) at -= 1;
  return at;
};

const reachBefore = 60;
const reachAfter = 30;

/** What stands before a candidate, up to `reach` UTF-16 units. */
export const before = ({ document, begin }: Candidate, reach = reachBefore): string =>
  document.slice(Math.max(0, begin - reach), begin);

/** What stands after a candidate, up to `reach` UTF-16 units. */
export const after = ({ document, begin, text }: Candidate, reach = reachAfter): string =>
  document.slice(begin + text.length, begin + text.length + reach);

/** Whether one of the words stands before or, closer, after a candidate. */
export const hasNear = (candidate: Candidate, words: RegExp): boolean =>
  words.test(before(candidate)) || words.test(after(candidate));

/** A pattern for any of the words, whole and in any case; a stop may follow. Letters of any script part words. */
export const anyWord = (words: string): RegExp =>
  new RegExp(
    String.raw`(?<![\p{L}\p{N}])(?:${words.split(' ').join('|').replaceAll('_', '[ -]?')})(?![\p{L}\p{N}])`,
    'iu',
  );
