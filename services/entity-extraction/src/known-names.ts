import type { TaggedSpan } from './decode.js';
import type { Emissions } from './emissions.js';
import { positions, tagCount, tagOf } from './perceptron.js';

/** Names with what is known of them, to be looked up word by word. */
export interface KnownNames<T> {
  /** By name, its words parted by one space. */
  names: ReadonlyMap<string, T>;
  /** By its first word, how many words the longest name has. */
  lengths: ReadonlyMap<string, number>;
}

/** The longest known name that begins at a capitalised token, and its last token. */
export const longestAt = <T>(
  words: readonly string[],
  first: number,
  known: KnownNames<T>,
): { entry: T; last: number } | null => {
  const word = words[first];
  const length = isCapitalised(word) ? known.lengths.get(word) : undefined;
  if (length === undefined) return null;
  for (let last = Math.min(words.length, first + length) - 1; last >= first; last -= 1) {
    const entry = known.names.get(words.slice(first, last + 1).join(' '));
    if (entry !== undefined) return { entry, last };
  }
  return null;
};

/** Notes a name of so many words under its first one. */
export const noteLength = (lengths: Map<string, number>, word: string, length: number): void => {
  lengths.set(word, Math.max(length, lengths.get(word) ?? 0));
};

/** Whether a token begins with a capital. */
export const isCapitalised = (token: string | undefined): token is string =>
  token !== undefined && /^\p{Lu}/u.test(token);

/** Gives the tags of one type a bonus over a span of tokens. */
export const favour = (emissions: Emissions, span: Omit<TaggedSpan, 'score'>, bonus: number): void => {
  const { first, last, type } = span;
  for (let token = first; token <= last; token += 1) {
    const ends = token === last ? positions.end : positions.inside;
    const several = token === first ? positions.begin : ends;
    const at = token * tagCount + tagOf(type, first === last ? positions.single : several);
    emissions[at] = (emissions[at] ?? 0) + bonus;
  }
};
