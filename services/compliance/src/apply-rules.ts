import type { FindingInput, Flag } from '@anabranch/contracts';
import { identifierFamilies, type IdentifierFamily } from '@anabranch/identifiers';
import type { RuleCondition, Ruleset } from './ruleset.js';

const families: Readonly<Record<string, IdentifierFamily>> = identifierFamilies;

const concerns = (
  { types = [], families: wanted = [], onlyValidated = false }: RuleCondition,
  { type, scoreKind }: FindingInput,
): boolean => {
  const family = families[type];
  const isMeant = types.some((name) => name === type) || (family !== undefined && wanted.includes(family));
  return isMeant && (!onlyValidated || scoreKind === 'VALIDATOR');
};

// Findings looked at between two pauses.
const batchLength = 2_000;

/** Indexes of the findings that a rule is about. */
function* indexesOf(when: RuleCondition, findings: readonly FindingInput[]): Generator<void, number[]> {
  const indexes: number[] = [];
  for (const [index, finding] of findings.entries()) {
    if (concerns(when, finding)) indexes.push(index);
    if (index % batchLength === 0) yield;
  }
  return indexes;
}

/** The rules that the findings breach, in the ruleset's order, each with the indexes of its findings. Yields in between. */
export function* applyRules({ version, rules }: Ruleset, findings: readonly FindingInput[]): Generator<void, Flag[]> {
  const flags: Flag[] = [];
  for (const { id, when, severity, action } of rules) {
    const indexes = yield* indexesOf(when, findings);
    if (indexes.length < Math.max(1, when.atLeast ?? 1)) continue;
    flags.push({ ruleId: id, ruleVersion: version, severity, action, findings: indexes });
  }
  return flags;
}
