import type { Json, JsonObject } from '../model-port.js';

const fence = /<<<DOCUMENT (\w+)>>>\n([\s\S]*)\n<<<END \1>>>/;

/** The document in a prompt: what stands between its fences, or all of it. */
export function documentIn(prompt: string): string {
  return fence.exec(prompt)?.[2] ?? prompt;
}

/** Takes words and sentences from a document, in turn, so that what is claimed to stand there does. */
const createQuotes = (document: string) => {
  const sentences = document.split(/(?<=[.!?])\s+/).filter((sentence) => sentence.trim() !== '');
  const names = document.match(/\p{Lu}\p{L}+/gu) ?? document.match(/\p{L}+/gu) ?? [];
  let taken = 0;
  const next = (from: readonly string[]): string => from[taken++ % Math.max(1, from.length)]?.trim() ?? 'nothing';
  return { name: () => next(names), sentence: () => next(sentences) };
};

type Quotes = ReturnType<typeof createQuotes>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const numberOr = (value: Json | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

const itemsOf = ({ minItems, maxItems }: JsonObject): number =>
  Math.min(numberOr(maxItems, Infinity), Math.max(numberOr(minItems, 0), 2));

function objectFor({ properties }: JsonObject, quotes: Quotes): Json {
  const members = isObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(members.map(([name, schema]) => [name, valueFor(schema, quotes)]));
}

function numberFor({ type, minimum, maximum }: JsonObject): number {
  const least = numberOr(minimum, 0);
  const value = least + 0.75 * (numberOr(maximum, least + 1) - least);
  return type === 'integer' ? Math.floor(value) : value;
}

function valueFor(schema: Json, quotes: Quotes): Json {
  if (!isObject(schema)) return null;
  const { enum: symbols, const: constant, anyOf, type, items, description } = schema;
  if (constant !== undefined) return constant;
  if (Array.isArray(symbols)) return (symbols as readonly Json[])[0] ?? null;
  if (Array.isArray(anyOf)) return valueFor((anyOf as readonly Json[])[0] ?? null, quotes);
  const [named] = Array.isArray(type) ? (type as readonly Json[]) : [type];
  if (named === 'object') return objectFor(schema, quotes);
  if (named === 'array') return Array.from({ length: itemsOf(schema) }, () => valueFor(items ?? null, quotes));
  if (named === 'number' || named === 'integer') return numberFor({ ...schema, type: named });
  if (named === 'boolean') return true;
  if (named !== 'string') return null;
  return typeof description === 'string' && /sentence/i.test(description) ? quotes.sentence() : quotes.name();
}

/**
 * A value that a JSON schema accepts, made of a document: of enums the first symbol, of numbers one in the upper part of
 * their range, of strings what stands in the document. The same schema and document, the same value.
 */
export function answerFor(jsonSchema: Json, document: string): Json {
  return valueFor(jsonSchema, createQuotes(document));
}
