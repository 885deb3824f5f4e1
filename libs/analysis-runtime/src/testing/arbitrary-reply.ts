import type { Json, JsonObject } from '@anabranch/language-model';
import fc from 'fast-check';

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const numberOr = (value: Json | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

function arbitraryObject({ properties }: JsonObject, words: fc.Arbitrary<string>): fc.Arbitrary<Json> {
  const members = isObject(properties) ? Object.entries(properties) : [];
  return fc.record(Object.fromEntries(members.map(([name, schema]) => [name, arbitraryReply(schema, words)])));
}

/** Values that a JSON schema of the kinds that `defineReply` makes accepts. */
export function arbitraryReply(schema: Json, words: fc.Arbitrary<string>): fc.Arbitrary<Json> {
  if (!isObject(schema)) throw new Error('A schema is an object.');
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as Json[]));
  switch (schema.type) {
    case 'object':
      return arbitraryObject(schema, words);
    case 'array':
      return fc.array(arbitraryReply(schema.items ?? null, words), { maxLength: 8 });
    case 'string':
      return words;
    case 'number':
      return fc.double({ min: numberOr(schema.minimum, 0), max: numberOr(schema.maximum, 1), noNaN: true });
    default:
      throw new Error(`No arbitrary value for the type ${JSON.stringify(schema.type)}.`);
  }
}
