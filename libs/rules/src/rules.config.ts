import { z } from 'zod';

const duration = z.coerce.number().int();

/** When a change of rules counts, and how long those who use them may go without looking. */
export const rulesConfig = z.object({
  rulesDelayMs: duration
    .min(200)
    .max(3_600_000)
    .default(10_000)
    .describe('the milliseconds from a change of a taxonomy, ruleset or gazetteer until it is in force'),
  rulesCacheMs: duration
    .min(100)
    .max(1_800_000)
    .default(5_000)
    .describe('the milliseconds that a list of versions of rules is used; at most half of ANABRANCH_RULES_DELAY_MS'),
});

export type RulesConfig = z.infer<typeof rulesConfig>;

/**
 * A change has to be known to everybody before it counts. What the delay exceeds the cache by is for the clocks: those of
 * Kafka and Postgres may differ by that much, and a commit may take as long.
 */
export const rulesTiming = {
  isMet: ({ rulesDelayMs, rulesCacheMs }: RulesConfig): boolean => rulesDelayMs >= 2 * rulesCacheMs,
  params: {
    path: ['rulesCacheMs'],
    message: 'must be at most half of ANABRANCH_RULES_DELAY_MS: a change must be known everywhere before it counts',
  },
};
