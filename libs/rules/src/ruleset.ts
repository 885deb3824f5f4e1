import { type IdentifierFamily, identifierFamilies, type IdentifierType } from '@anabranch/identifiers/families';
import { z } from 'zod';
import type { DefinitionParts } from './definition-parts.js';
import { printable, rulesId, rulesVersion } from './words.js';

const types = Object.keys(identifierFamilies) as [IdentifierType, ...IdentifierType[]];
const families = [...new Set(Object.values(identifierFamilies))] as [IdentifierFamily, ...IdentifierFamily[]];
const maxRules = 500;

const condition = z
  .strictObject({
    types: z.array(z.enum(types)).max(types.length).default([]).describe('Types of findings that the rule is about.'),
    families: z
      .array(z.enum(families))
      .max(families.length)
      .default([])
      .describe('Families of types, such as all secrets, beside the types.'),
    onlyValidated: z.boolean().default(false).describe('Whether only findings that a validator confirmed count.'),
    atLeast: z.int().min(1).max(1_000_000).default(1).describe('Fewest findings that breach the rule.'),
  })
  .refine((given) => given.types.length + given.families.length > 0, 'name at least one type or family');

const rule = z.strictObject({
  id: printable(128).describe('Unique in its ruleset; what flags name.'),
  when: condition,
  severity: z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
  action: z.enum(['NONE', 'REVIEW', 'BLOCK']).default('NONE').describe('What is to happen to the document.'),
});

const ruleset = z.strictObject({
  id: rulesId,
  version: rulesVersion,
  rules: z.array(rule).max(maxRules).describe('In the order in which flags are listed.'),
});

function checkWhole({ rules }: z.output<typeof ruleset>, context: z.RefinementCtx): void {
  const ids = new Set<string>();
  for (const [index, { id }] of rules.entries()) {
    if (ids.has(id)) context.addIssue({ code: 'custom', path: ['rules', index, 'id'], message: 'is there twice' });
    ids.add(id);
  }
}

/**
 * A ruleset as its tenant writes it. Parsing fills defaults, and names every fault with its path: unknown fields, types
 * that no detector finds, rules of one id.
 */
export const rulesetSchema = ruleset.superRefine(checkWhole);

/** The schema in parts. */
export const rulesetParts: DefinitionParts = {
  list: 'rules',
  head: ruleset.extend({ rules: z.array(z.unknown()).max(maxRules) }),
  entry: rule,
  whole: z.custom<z.output<typeof ruleset>>().superRefine(checkWhole),
  perStep: 50,
};

/** What findings of compliance mean, and what is to happen: data of a tenant, and versioned. */
export type Ruleset = z.output<typeof rulesetSchema>;

/** A ruleset as it is written down: what has a default may be left out. */
export type RulesetInput = z.input<typeof rulesetSchema>;

/** One rule: which findings breach it, and how bad that is. */
export type Rule = Ruleset['rules'][number];

/** When a rule is breached. */
export type RuleCondition = Rule['when'];
