import { readFileSync } from 'node:fs';
import fc, { type Arbitrary } from 'fast-check';
import { topics, type EventOf, type EventTopic } from '../src/index.js';

/** The topics that have a schema. */
export const eventTopics = Object.values(topics)
  .filter(({ versions }) => versions.length > 0)
  .map(({ name }) => name as EventTopic);

/** A topic's latest schema, as the registry has it. */
export function schemaText(topic: EventTopic): string {
  return topics[topic].versions.at(-1)?.schema ?? '';
}

/** The example that stands beside a topic's schema. */
export function exampleOf<T extends EventTopic>(topic: T): EventOf[T] {
  const file = new URL(`../../../schemas/${topic}/v${topics[topic].latestVersion}.example.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as EventOf[T];
}

/** A topic's schema, changed as another version would be. */
export function changedSchema(topic: EventTopic, change: (schema: RecordSchema) => void): RecordSchema {
  const schema = JSON.parse(schemaText(topic)) as RecordSchema;
  change(schema);
  return schema;
}

export interface FieldSchema {
  name: string;
  type: unknown;
  default?: unknown;
}

export interface RecordSchema {
  type: 'record';
  name: string;
  namespace: string;
  fields: FieldSchema[];
}

interface AnySchema {
  type: string | object;
  name?: string;
  fields?: FieldSchema[];
  symbols?: string[];
  items?: unknown;
  values?: unknown;
}

const text = fc.string({ unit: 'binary', maxLength: 20 });

const primitives: Record<string, Arbitrary<unknown>> = {
  null: fc.constant(null),
  boolean: fc.boolean(),
  int: fc.integer(),
  long: fc.maxSafeInteger(),
  double: fc.double({ noNaN: true }),
  string: text,
};

/** Every value that a schema allows, as the codec's readers see it. */
export function valuesOf(schema: unknown, named = new Map<string, Arbitrary<unknown>>()): Arbitrary<unknown> {
  if (Array.isArray(schema)) return fc.oneof(...schema.map((branch) => valuesOf(branch, named)));
  if (typeof schema === 'string') return primitives[schema] ?? named.get(schema) ?? fail(schema);
  const arbitrary = complexValues(schema as AnySchema, named);
  const { name } = schema as AnySchema;
  if (name !== undefined) named.set(name, arbitrary);
  return arbitrary;
}

function complexValues(schema: AnySchema, named: Map<string, Arbitrary<unknown>>): Arbitrary<unknown> {
  const { type, fields = [], symbols = [] } = schema;
  if (type === 'record') {
    return fc.record(Object.fromEntries(fields.map((field) => [field.name, valuesOf(field.type, named)])));
  }
  if (type === 'enum') return fc.constantFrom(...symbols);
  if (type === 'array') return fc.array(valuesOf(schema.items, named), { maxLength: 4 });
  if (type === 'map') return fc.dictionary(text, valuesOf(schema.values, named), { maxKeys: 4, noNullPrototype: true });
  return valuesOf(type, named);
}

function fail(schema: string): never {
  throw new Error(`no values known for ${schema}`);
}
