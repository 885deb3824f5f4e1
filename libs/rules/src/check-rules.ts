// Definitions may have four megabytes, and checking one takes a third of a second: far too long for an event loop.
import { z } from 'zod';
import { gazetteerParts } from './gazetteer.js';
import type { DefinitionParts } from './definition-parts.js';
import { rulesetParts } from './ruleset.js';
import { taxonomyParts } from './taxonomy.js';

const partsOf = { taxonomy: taxonomyParts, ruleset: rulesetParts, gazetteer: gazetteerParts } as const;

type Issue = z.core.$ZodIssue;

const isAbout =
  (list: string) =>
  ({ path }: Issue): boolean =>
    path[0] === list;

/** The entries as their schema reads them. What it does not accept is added to the issues. Yields after some. */
function* readEntries(given: readonly unknown[], parts: DefinitionParts, issues: Issue[]): Generator<void, unknown[]> {
  const entries: unknown[] = [];
  for (const [index, value] of given.entries()) {
    const { data, error } = parts.entry.safeParse(value);
    entries.push(data);
    for (const issue of error?.issues ?? []) issues.push({ ...issue, path: [parts.list, index, ...issue.path] });
    if ((index + 1) % parts.perStep === 0) yield;
  }
  return entries;
}

/**
 * Reads a definition, with id and version, as its kind's schema does – all defaults, all faults with their paths –, and
 * yields every few milliseconds.
 * @throws ZodError
 */
export function* checkRules(
  kind: keyof typeof partsOf,
  definition: Readonly<Record<string, unknown>>,
): Generator<void, object> {
  const parts: DefinitionParts = partsOf[kind];
  const head = parts.head.safeParse(definition);
  const ofHead = head.error?.issues ?? [];
  const given = definition[parts.list];
  const ofEntries: Issue[] = [];
  const isReadable = Array.isArray(given) && !ofHead.some(isAbout(parts.list));
  const entries = isReadable ? yield* readEntries(given, parts, ofEntries) : [];
  // Unknown fields of the whole come last, as in the schema's own answer.
  const [ofFields, ofWhole] = [
    ofHead.filter(({ path }) => path.length > 0),
    ofHead.filter(({ path }) => path.length === 0),
  ];
  const issues = [...ofFields, ...ofEntries, ...ofWhole];
  const read = { ...head.data, [parts.list]: entries };
  if (issues.length === 0) issues.push(...(parts.whole.safeParse(read).error?.issues ?? []));
  if (issues.length > 0) throw new z.ZodRealError(issues);
  return read;
}
