import type { Emissions } from './emissions.js';
import { favour, type KnownNames, longestAt, noteLength } from './known-names.js';
import { type Evidence, lexicon, typeIndexOf } from './lexicon.js';
import { positions, tagCount, tagOf } from './perceptron.js';

const lexiconLengths = new Map<string, number>();
for (const name of lexicon.keys()) noteLength(lexiconLengths, name.split(' ')[0] ?? name, name.split(' ').length);
const generalKnowledge: KnownNames<Evidence> = { names: lexicon, lengths: lexiconLengths };

/** Adds what general knowledge says about capitalised words. */
export const addGeneralKnowledge = (words: readonly string[], emissions: Emissions): void => {
  for (let first = 0; first < words.length; first += 1) {
    const found = longestAt(words, first, generalKnowledge);
    if (found === null) continue;
    const { entry, last } = found;
    const type = typeIndexOf(entry);
    for (let token = first; token <= last; token += 1) {
      emissions[token * tagCount] = (emissions[token * tagCount] ?? 0) - entry.againstNone;
    }
    if (entry.type === 'LOCATION' || entry.type === 'ORGANIZATION')
      favour(emissions, { first, last, type }, entry.forType);
    if (entry.type !== 'PERSON') continue;
    // A given name begins a longer name as often as it stands alone.
    for (const position of [positions.begin, positions.single]) {
      const at = first * tagCount + tagOf(type, position);
      emissions[at] = (emissions[at] ?? 0) + entry.forType;
    }
  }
};
