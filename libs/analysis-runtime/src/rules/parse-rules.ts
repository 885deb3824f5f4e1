// Definitions may have four megabytes, and checking one takes a tenth of a second: far too long for the event loop.
import { gazetteerSchema, rulesetSchema, taxonomySchema } from '@anabranch/rules';
import { inSlices } from '../turns.js';
import type { RulesKind } from './tenant-rules.js';

const schemas = { taxonomy: taxonomySchema, ruleset: rulesetSchema, gazetteer: gazetteerSchema };
/** The list that makes a definition long, and how much of it is checked at a time: a few milliseconds. */
const lists = {
  taxonomy: { name: 'labels', perStep: 10 },
  ruleset: { name: 'rules', perStep: 100 },
  gazetteer: { name: 'entries', perStep: 500 },
} as const;

const wanted = new AbortController().signal;

function* steps(kind: RulesKind, definition: Readonly<Record<string, unknown>>): Generator<void, object> {
  const { name, perStep } = lists[kind];
  const list = definition[name];
  if (!Array.isArray(list)) return schemas[kind].parse(definition);
  const head = schemas[kind].parse({ ...definition, [name]: [] });
  const parsed: unknown[] = [];
  for (let begin = 0; begin < list.length; begin += perStep) {
    yield;
    const part = schemas[kind].parse({ ...definition, [name]: list.slice(begin, begin + perStep) });
    for (const item of (part as unknown as Record<string, unknown[]>)[name] ?? []) parsed.push(item);
  }
  return { ...head, [name]: parsed };
}

/**
 * A definition with what its schema has got since it was stored, in slices. What holds between its parts – names that are
 * unique, sums – was checked when it was put, and is not checked again.
 * @throws ZodError for a part that the schema does not accept
 */
export function parseRules(kind: RulesKind, definition: Readonly<Record<string, unknown>>): Promise<object> {
  return inSlices(steps(kind, definition), wanted);
}
