import { z } from 'zod';
import { Problem } from './problem.js';

/** Where a request breaks its schema, and how. */
export interface Fault {
  /** For example `body.metadata.author` or `query.limit`. */
  field: string;
  message: string;
}

const maxFaults = 20;
const plainName = /^[\w.:/-]{1,64}$/;

/** The value as the schema reads it. Throws the problem INVALID_REQUEST, which names faults and repeats no value. */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  place: 'body' | 'query' | 'header',
): z.infer<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidRequest(result.error.issues, place, fieldsOf(schema));
}

/**
 * The problem INVALID_REQUEST of some issues of zod.
 * @param fields those that the place may have, for whoever gives another; empty = not told
 */
export function invalidRequest(
  issues: readonly z.core.$ZodIssue[],
  place: string,
  fields: readonly string[] = [],
): Problem {
  // A number may break several bounds of a rule that is told once; rules of four megabytes may have an issue in each line.
  const faults = new Map<string, Fault>();
  for (const issue of issues) {
    const fault = describeIssue(issue, place, fields);
    faults.set(`${fault.field}: ${fault.message}`, fault);
    if (faults.size === maxFaults) break;
  }
  const detail = [...faults.keys()].join('; ');
  const errors = [...faults.values()];
  return new Problem('INVALID_REQUEST', `Correct the request: ${detail}.`, { extensions: { errors } });
}

function fieldsOf(schema: z.ZodType): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function describeIssue(issue: z.core.$ZodIssue, place: string, fields: readonly string[]): Fault {
  const field = [place, ...issue.path.map((part) => nameOf(String(part)))].join('.');
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length > 0 || fields.length === 0 ? '' : ` (known: ${fields.join(', ')})`;
    return { field, message: `unknown: ${issue.keys.slice(0, 5).map(nameOf).join(', ')}${known}` };
  }
  if (issue.code === 'invalid_key') return { field, message: issue.issues.map(({ message }) => message).join(', ') };
  return { field, message: issue.message };
}

/** Names of fields come from the caller, too: a document sent in the wrong place must not come back as an error. */
function nameOf(name: string): string {
  return plainName.test(name) ? name : `(a name of ${name.length} characters)`;
}
