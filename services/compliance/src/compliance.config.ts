import { createHmac } from 'node:crypto';
import { z } from 'zod';

/** What compliance can be told by its operator. */
export const complianceConfig = z.object({
  complianceHashKey: z
    .string()
    .min(32)
    .max(1_000)
    .optional()
    .describe(
      'the secret, of 32 characters or more, for keyed hashes of found values (`hmac`); without it there are none',
    )
    .meta({ secret: true }),
});

export type ComplianceConfig = z.infer<typeof complianceConfig>;

/**
 * A tenant's own key for hashes of values: equal values of two tenants have different hashes. Undefined when the operator
 * wants none.
 */
export function hashKeyOf({ complianceHashKey }: ComplianceConfig, tenantId: string): Uint8Array | undefined {
  if (complianceHashKey === undefined) return undefined;
  return createHmac('sha256', complianceHashKey).update(tenantId).digest();
}
