import type { JsonObject, ReplySchema } from '@anabranch/language-model';
import { z } from 'zod';
import { BadOutput } from './bad-output.js';

/** The form of a model's reply: what the model is told, and what its reply is held to. */
export interface ReplyShape<T> {
  readonly schema: ReplySchema;
  /** @throws BadOutput that names what is wrong and where */
  read(value: unknown): T;
}

// More would not help the model, and would cost.
const maxFaults = 5;
// Strict modes of providers know these keywords on no type, or not on every one: they are enforced here, not there.
const unsent = new Set(['$schema', 'minLength', 'maxLength']);

const withoutUnsent = (schema: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(schema, (name, value: unknown) => (unsent.has(name) ? undefined : value))) as JsonObject;

/** Symbols are ours, values are not: what was read stands in no fault. */
const faultOf = (issue: z.core.$ZodIssue): string => {
  const place = issue.path.length === 0 ? 'the reply' : issue.path.map(String).join('.');
  if (issue.code === 'invalid_value') return `${place} must be one of ${JSON.stringify(issue.values)}`;
  if (issue.code === 'invalid_type') return `${place} must be of type ${issue.expected}`;
  if (issue.code === 'too_small') return `${place} must be at least ${String(issue.minimum)}`;
  if (issue.code === 'too_big') return `${place} must be at most ${String(issue.maximum)}`;
  return `${place} is not as the schema says`;
};

/**
 * @param name letters, digits, `_` and `-`
 * @param shape of objects, arrays, enums, strings, numbers and booleans; every member required, as strict modes ask
 */
export function defineReply<S extends z.ZodObject>(name: string, shape: S): ReplyShape<z.output<S>> {
  return {
    schema: { name, jsonSchema: withoutUnsent(z.toJSONSchema(shape) as JsonObject) },
    read(value) {
      const { data, error } = shape.safeParse(value);
      if (data !== undefined) return data;
      throw new BadOutput((error?.issues ?? []).slice(0, maxFaults).map(faultOf).join('; '));
    },
  };
}
