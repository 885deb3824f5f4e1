import type { DocumentIngested } from '@anabranch/contracts';
import { Refused } from '@anabranch/failures';
import type { RulesInForce, RulesPort, RulesRefusal } from './tenant-rules.js';

/**
 * A document's rules, or the refusal that it gets; null when the analysis declares none.
 * @param at broker timestamp of the record, epoch milliseconds
 * @throws DependencyUnavailable
 */
export async function rulesFor(
  port: RulesPort | null,
  { tenantId, metadata }: Pick<DocumentIngested, 'tenantId' | 'metadata'>,
  at: number,
): Promise<RulesInForce | RulesRefusal | null> {
  if (port === null) return null;
  try {
    return await port.inForce({ tenantId, metadata, at });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { refusal: { code: error.code, message: error.message } };
  }
}
