// From a body to a definition that analyses can apply, or a problem with the path of each fault.
import { setImmediate } from 'node:timers/promises';
import { checkRules } from '@anabranch/rules';
import { z } from 'zod';
import { parseJson } from '../documents/json-body.js';
import { Problem } from '../http/problem.js';
import { invalidRequest } from '../http/validate.js';
import type { RulesResource } from './rules-kinds.js';
import { platformFields } from './rules-schemas.js';

/** Largest body of a PUT, in bytes. */
export const rulesMaxBytes = 4_194_304;

/** What arrived. */
export interface IncomingRules {
  contentType: string | undefined;
  /** Undefined when there was none. */
  body: Buffer | undefined;
  /** From the address, where it was checked. */
  id: string;
}

/**
 * Reads a definition, without id and version: the platform gives those. The largest takes a third of a second, and other
 * requests have their turns meanwhile. Throws a Problem: INVALID_REQUEST with all faults, INVALID_JSON,
 * UNSUPPORTED_MEDIA_TYPE, RULES_TOO_LARGE.
 */
export async function readDefinition(
  { kind }: Pick<RulesResource, 'kind'>,
  { contentType, body, id }: IncomingRules,
): Promise<object> {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw rulesUnsupported();
  const bytes = body ?? Buffer.alloc(0);
  if (bytes.length > rulesMaxBytes) throw rulesTooLarge();
  const value = parseJson(bytes, 'a JSON object');
  if (!isObject(value)) throw invalid('body', [], 'must be an object');
  assertSameId(value, id);
  const own = Object.fromEntries(Object.entries(value).filter(([name]) => !(name in platformFields)));
  const checked = await inTurns(checkRules(kind, { ...own, id, version: '1' }));
  const { id: _, version: __, ...definition } = checked as Record<string, unknown>;
  await setImmediate();
  assertStorable(definition);
  await setImmediate();
  return definition;
}

const turnMs = 10;

/** What the steps come to after a turn of theirs; undefined when there is more to do. */
function takeTurn<T extends object>(steps: Generator<void, T>): T | undefined {
  for (const end = performance.now() + turnMs; performance.now() < end;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
  return undefined;
}

/** Runs a check to its end, and lets other requests go on in between. Throws the problem INVALID_REQUEST. */
async function inTurns(check: Generator<void, object>): Promise<object> {
  try {
    let checked: object | undefined;
    while (checked === undefined) {
      await setImmediate();
      checked = takeTurn(check);
    }
    return checked;
  } catch (error) {
    throw error instanceof z.ZodError ? invalidRequest(error.issues, 'body') : error;
  }
}

/** The problem for a body that is no JSON. */
export function rulesUnsupported(): Problem {
  const accepted = ['application/json'];
  return new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send it as application/json.', { extensions: { accepted } });
}

/** The problem for a body beyond the limit. */
export function rulesTooLarge(): Problem {
  const detail = `The body may have ${rulesMaxBytes} bytes. Shorten examples, or split it.`;
  return new Problem('RULES_TOO_LARGE', detail, { extensions: { maxBytes: rulesMaxBytes } });
}

function assertSameId(body: Record<string, unknown>, id: string): void {
  if (body.id === undefined || body.id === id) return;
  throw invalid('body', ['id'], 'must be the id in the address, or left out');
}

/** What rules say is in results: what Postgres cannot hold there must not come in here. */
function assertStorable(definition: object): void {
  if (isStorable(definition)) return;
  const issues = [...unstorable(definition, [])].map((path) => issueOf(path, 'has a NUL or half of a surrogate pair'));
  if (issues.length > 0) throw invalidRequest(issues, 'body');
}

const isStorableText = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** Twenty times as fast as to say where: a definition may have hundreds of thousands of strings. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isStorable);
}

function* unstorable(value: unknown, path: string[]): Generator<string[]> {
  if (typeof value === 'string' && !isStorableText(value)) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* unstorable(inner, [...path, name]);
}

const issueOf = (path: string[], message: string) => ({ code: 'custom' as const, path, message, input: undefined });

const invalid = (place: string, path: string[], message: string): Problem =>
  invalidRequest([issueOf(path, message)], place);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
