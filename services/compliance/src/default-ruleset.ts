import type { Ruleset } from './ruleset.js';

export type { Rule, RuleCondition, Ruleset } from './ruleset.js';

/**
 * What holds unless a tenant brings own rules. No action asks for a review: a tenant opts into being held up.
 * `contact-data` is about ways to reach somebody; whether a person stands next to them it does not know.
 */
export const defaultRuleset: Ruleset = {
  id: 'default',
  version: 'built-in-2',
  rules: [
    // PCI DSS requirement 3: a primary account number is not to be stored in the clear.
    { id: 'pci-card', when: { types: ['CARD'], onlyValidated: true }, severity: 'HIGH', action: 'NONE' },
    { id: 'secrets', when: { families: ['secret'] }, severity: 'CRITICAL', action: 'NONE' },
    { id: 'national-id', when: { families: ['national-id'] }, severity: 'HIGH', action: 'NONE' },
    { id: 'bank-account', when: { types: ['IBAN'], onlyValidated: true }, severity: 'MEDIUM', action: 'NONE' },
    { id: 'contact-data', when: { families: ['contact'] }, severity: 'LOW', action: 'NONE' },
  ],
};
