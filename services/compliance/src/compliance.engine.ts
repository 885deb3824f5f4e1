import { createHmac } from 'node:crypto';
import type { ComplianceResultInput, FindingCount, FindingInput } from '@anabranch/contracts';
import { type Identifier, maskIdentifier, normalizeIdentifier, scanIdentifiers } from '@anabranch/identifiers';
import type { Offsets } from '@anabranch/text';
import { applyRules } from './apply-rules.js';
import type { Ruleset } from './ruleset.js';

/** What the engine reads: a cleaned text, its table of offsets, and the rules in force. */
export interface ComplianceInput {
  text: string;
  offsets: Offsets;
  ruleset: Ruleset;
  /**
   * The tenant's key for hashes of values, by which equal values of several documents are known without being stored.
   * No hashes unless given: without a key, numbers of so few digits would be found again by trying.
   */
  hmacKey?: string | Uint8Array;
}

// Findings turned into results between two pauses.
const batchLength = 500;

/** HMAC-SHA-256 over type and value, in hex; equal for one value however it is grouped. */
const hashOf = (identifier: Identifier, key: string | Uint8Array): string =>
  createHmac('sha256', key)
    .update(`${identifier.type}\u0000${normalizeIdentifier(identifier)}`)
    .digest('hex');

/** An identifier as a finding: masked, the value itself is not in it. */
export const toFinding = (
  identifier: Identifier,
  { offsets, hmacKey }: Pick<ComplianceInput, 'offsets' | 'hmacKey'>,
): FindingInput => ({
  type: identifier.type,
  begin: offsets.toCodePoint(identifier.begin),
  end: offsets.toCodePoint(identifier.end),
  score: identifier.score,
  scoreKind: identifier.score === null ? 'NONE' : 'VALIDATOR',
  masked: maskIdentifier(identifier),
  ...(hmacKey === undefined ? {} : { hmac: hashOf(identifier, hmacKey) }),
});

const countTypes = (findings: readonly FindingInput[]): FindingCount[] => {
  const counts = new Map<string, number>();
  for (const { type } of findings) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => ({ type, count })).sort((one, other) => other.count - one.count);
};

/** Findings in order, counted by type (most frequent first) and judged by the rules. Yields in between. */
export function* judgeFindings(findings: FindingInput[], ruleset: Ruleset): Generator<void, ComplianceResultInput> {
  const flags = yield* applyRules(ruleset, findings);
  return { findings, types: countTypes(findings), flags };
}

/**
 * Sensitive identifiers of a text, masked, counted by type (most frequent first) and judged by the rules. The values
 * themselves are in no result. Works in any language. Linear; yields between windows of text.
 */
export function* inspect(input: ComplianceInput): Generator<void, ComplianceResultInput> {
  const identifiers = yield* scanIdentifiers(input.text);
  const findings: FindingInput[] = [];
  for (const identifier of identifiers) {
    findings.push(toFinding(identifier, input));
    if (findings.length % batchLength === 0) yield;
  }
  return yield* judgeFindings(findings, input.ruleset);
}
