import { hash } from 'node:crypto';
import { canonicalJson } from '@anabranch/job';
import type { Pin } from './pins.js';

/** A run of an analysis, on whose behalf something is bought. */
export interface LedgerRun {
  readonly tenantId: string;
  readonly documentId: string;
  readonly revision: number;
  readonly jobId: string;
  readonly analysis: string;
  readonly run: number;
  /** Whether it buys anew what runs before it have bought. */
  readonly isFresh: boolean;
}

/** The purchase of a run, unless an earlier one of its job has bought anew. */
export const expectedPurchase = ({ run, isFresh }: Pick<LedgerRun, 'run' | 'isFresh'>): number => (isFresh ? run : 1);

/** Something that is bought once: what is asked, for a run. */
export interface Operation {
  readonly run: LedgerRun;
  /** Lower-case hex: see {@link operationKeyOf}. */
  readonly key: string;
  /** How the run is done, as far as its claimant knows: what is asked follows from it. */
  readonly pin: Pin;
}

/**
 * What makes two operations the same: SHA-256 over the canonical JSON (RFC 8785) of tenant, request and purchase, so that
 * no two tenants share an answer, and a purchase that was asked for anew is another one (semantics §7). The first purchase is
 * shared by all jobs of a tenant, a further one by the runs of the job that asked for it.
 */
export function operationKeyOf(
  { tenantId, jobId }: Pick<LedgerRun, 'tenantId' | 'jobId'>,
  request: unknown,
  purchase: number,
): string {
  return hash('sha256', canonicalJson({ tenantId, ...(purchase > 1 && { jobId }), request, purchase }));
}
