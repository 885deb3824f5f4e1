import { type AnsweredChunk, askPerChunk, type ModelPrompt, readChunks } from '@anabranch/analysis-runtime/definition';
import { apartFrom, createQuoteFinder, withoutOverlap } from '@anabranch/text';
import { findCertain, inOrder, toResult } from './entity-extraction.engine.js';
import { askForEntities } from './entity-extraction.prompt.js';
import type { NamedEntity } from './entity-extraction.reply.js';
import type { FoundMention } from './merge-mentions.js';

/** What stands where it is said to, and how much does not. */
interface Grounded {
  mentions: FoundMention[];
  missing: number;
}

/** Every place where a chunk's names stand; yields after each name. */
function* groundNames({ chunk, answer }: AnsweredChunk<NamedEntity[]>): Generator<void, Grounded> {
  const finder = createQuoteFinder(chunk.text);
  const mentions: FoundMention[] = [];
  let missing = 0;
  for (const { text, type } of answer) {
    const places = finder.find(text);
    if (places.length === 0) missing += 1;
    for (const { begin, end } of places) {
      const place = { begin: chunk.begin + begin, end: chunk.begin + end };
      mentions.push({ type, ...place, text: chunk.text.slice(begin, end), score: null, scoreKind: 'NONE' });
    }
    yield;
  }
  return { mentions, missing };
}

const missingNames = (count: number): string[] =>
  count === 0 ? [] : [`${count} names that the model gave do not stand in the text, and are left out.`];

/**
 * Names, dates and quantities from a model, at all the places where they stand; identifiers and the tenant's own names are
 * found as the embedded engine finds them, and go before. What the model gives and the text does not hold is left out.
 */
export const extractByModel: ModelPrompt<'entity-extraction', Record<never, never>, 'gazetteer'> = {
  version: '1',
  *answer({ text, offsets }, { rules, chunkCharacters }) {
    const chunks = yield* readChunks(text, chunkCharacters);
    const answered = yield* askPerChunk(chunks, askForEntities);
    const found: FoundMention[] = [];
    let missing = 0;
    for (const each of answered) {
      const grounded = yield* groundNames(each);
      for (const mention of withoutOverlap(grounded.mentions)) found.push(mention);
      missing += grounded.missing;
    }
    const certain = yield* findCertain(text, rules ?? undefined);
    const mentions = inOrder([...certain.mentions, ...apartFrom(found, certain.taken)]);
    return { result: yield* toResult(mentions, offsets), warnings: missingNames(missing) };
  },
};
