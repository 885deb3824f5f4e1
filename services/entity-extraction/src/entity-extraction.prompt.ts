import type { Question } from '@anabranch/analysis-runtime/definition';
import { entitiesReply, type NamedEntity, readEntities } from './entity-extraction.reply.js';

const instructions = `List what the text names: persons (PERSON), companies, authorities and other bodies (ORGANIZATION), countries, cities and other places (LOCATION), dates and times (DATE), amounts and measures with their unit (QUANTITY), and other things with a name of their own, such as products, works and events (OTHER). Give each way of writing a thing once, as it is written, without titles such as Mr or Dr, and without articles. Leave out pronouns, common nouns, e-mail addresses, URLs, telephone numbers and account numbers.`;

/** A question about a text, whose answer are the things that it names. */
export function askForEntities(text: string): Question<NamedEntity[]> {
  return {
    instructions,
    text,
    schema: entitiesReply.schema,
    maxOutputTokens: 2_000,
    read: readEntities,
  };
}
