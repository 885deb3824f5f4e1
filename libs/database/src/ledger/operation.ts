import { hash } from 'node:crypto';
import { canonicalJson } from '@anabranch/job';

/** A run of an analysis, on whose behalf something is bought. */
export interface LedgerRun {
  readonly tenantId: string;
  readonly documentId: string;
  readonly revision: number;
  readonly jobId: string;
  readonly analysis: string;
  readonly run: number;
}

/** Something that is bought once: what is asked, for a run. */
export interface Operation {
  readonly run: LedgerRun;
  /** Lower-case hex: see {@link operationKeyOf}. */
  readonly key: string;
}

/**
 * What makes two operations the same: SHA-256 over the canonical JSON (RFC 8785) of tenant, request and purchase, so that
 * no two tenants share an answer, and a purchase that was asked for anew is another one (semantics §7).
 */
export function operationKeyOf(tenantId: string, request: unknown, purchase: number): string {
  return hash('sha256', canonicalJson({ tenantId, request, purchase }));
}
