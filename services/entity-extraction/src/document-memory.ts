import type { TaggedSpan } from './decode.js';
import { isCapitalised, type KnownNames, longestAt, noteLength } from './known-names.js';
import { nameTypes } from './perceptron.js';

// A name that the document bears elsewhere counts as much as three mentions, at most.
const maxNameWords = 6;
const memoryStrength = 120;
const mentionsThatCount = 3;
// A long novel has some thousands. More would cost more memory than they are worth.
const maxNames = 50_000;

// An initial is nobody's name.
const severalLetters = /\p{L}{2}/u;

/** How often a document bears a name, by type. */
export interface Memory extends KnownNames<number[]> {
  names: Map<string, number[]>;
  lengths: Map<string, number>;
}

const person = nameTypes.indexOf('PERSON');

/** Keeps the names of a sentence, and the surnames of persons: "Merkel" is who was "Angela Merkel" before. */
export const remember = (memory: Memory, words: readonly string[], spans: readonly TaggedSpan[]): void => {
  const count = (first: number, { last, type }: TaggedSpan): void => {
    const word = words[first];
    if (!isCapitalised(word) || !severalLetters.test(word) || last - first >= maxNameWords) return;
    const name = words.slice(first, last + 1).join(' ');
    const known = memory.names.get(name);
    if (known === undefined && memory.names.size >= maxNames) return;
    const counts = known ?? nameTypes.map(() => 0);
    counts[type] = (counts[type] ?? 0) + 1;
    memory.names.set(name, counts);
    noteLength(memory.lengths, word, last - first + 1);
  };
  for (const span of spans) {
    count(span.first, span);
    if (span.type === person && span.last > span.first) count(span.last, span);
  }
};

/** A name that the document bears elsewhere, in a sentence. */
export interface Remembered {
  span: Omit<TaggedSpan, 'score'>;
  strength: number;
}

/** The names of a document in a sentence, the longest at each place, and how much each may weigh. */
export const recall = (memory: Memory, words: readonly string[]): Remembered[] => {
  const found: Remembered[] = [];
  for (let first = 0; first < words.length; first += 1) {
    const longest = longestAt(words, first, memory);
    if (longest === null) continue;
    const { entry: counts, last } = longest;
    const total = counts.reduce((sum, count) => sum + count, 0);
    const most = Math.max(...counts);
    const share = (Math.min(most, mentionsThatCount) * most) / (mentionsThatCount * total);
    found.push({ span: { first, last, type: counts.indexOf(most) }, strength: Math.round(memoryStrength * share) });
  }
  return found;
};

/** Whether the spans have a name just so. */
export const holds = (spans: readonly TaggedSpan[], { span }: Remembered): boolean =>
  spans.some(({ first, last, type }) => first === span.first && last === span.last && type === span.type);
