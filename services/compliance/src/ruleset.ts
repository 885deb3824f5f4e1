import type { RuleAction, Severity } from '@anabranch/contracts';
import type { IdentifierFamily, IdentifierType } from '@anabranch/identifiers';

/** When a rule is breached. All given conditions must hold. */
export interface RuleCondition {
  /** Types of findings that the rule is about; those of `families` as well. */
  types?: readonly IdentifierType[];
  families?: readonly IdentifierFamily[];
  /** Only findings that a validator confirmed count; all unless given. */
  onlyValidated?: boolean;
  /** Fewest findings that breach the rule; 1 unless given. */
  atLeast?: number;
}

/** What findings mean, and what is to happen. Data: the engine knows no rule. */
export interface Rule {
  id: string;
  when: RuleCondition;
  severity: Severity;
  action: RuleAction;
}

/** A tenant's rules. A change of a rule is a new version: every flag names the one that it comes from. */
export interface Ruleset {
  id: string;
  version: string;
  rules: readonly Rule[];
}
