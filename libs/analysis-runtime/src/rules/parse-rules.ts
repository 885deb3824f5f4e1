// Definitions may have four megabytes, and checking one takes a third of a second: far too long for the event loop.
import { checkRules } from '@anabranch/rules';
import { inSlices } from '../turns.js';
import type { RulesKind } from './tenant-rules.js';

const wanted = new AbortController().signal;

/**
 * A definition with what its schema has got since it was stored, in slices.
 * @throws ZodError for a part that the schema does not accept
 */
export function parseRules(kind: RulesKind, definition: Readonly<Record<string, unknown>>): Promise<object> {
  return inSlices(checkRules(kind, definition), wanted);
}
