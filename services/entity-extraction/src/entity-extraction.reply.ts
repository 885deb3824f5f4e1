import { defineReply } from '@anabranch/analysis-runtime/definition';
import { z } from 'zod';

/** What a model is asked to find. Addresses and numbers are found by detectors, which do not guess. */
const types = ['PERSON', 'ORGANIZATION', 'LOCATION', 'DATE', 'QUANTITY', 'OTHER'] as const;

const shape = z.object({
  entities: z
    .array(
      z.object({
        text: z.string().describe('Verbatim: the name, date or quantity as it is written.'),
        type: z.enum(types),
      }),
    )
    .describe('Each way of writing each thing, once, in the order of the text.'),
});

/** What a model is asked for. */
export const entitiesReply = defineReply('entities', shape);

/** One way of writing one thing. */
export type NamedEntity = z.output<typeof shape>['entities'][number];

/** Most entries of one reply that are looked for, and the longest. */
const maxEntities = 500;
const maxNameCharacters = 200;

/** Reads a reply about one chunk; of a name that comes twice the first type counts. @throws BadOutput */
export function readEntities(value: unknown): NamedEntity[] {
  const named = new Map<string, NamedEntity>();
  for (const { text, type } of entitiesReply.read(value).entities) {
    const name = text.trim();
    if (name === '' || name.length > maxNameCharacters || named.size === maxEntities) continue;
    if (!named.has(name)) named.set(name, { text: name, type });
  }
  return [...named.values()];
}
