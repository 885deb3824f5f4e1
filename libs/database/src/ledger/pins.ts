import { failureCodes, Refused } from '@anabranch/failures';
import type { Queryable } from '../database.js';
import type { LedgerRun } from './operation.js';

/** What is pinned for a run. */
export interface Pin {
  /** How it is done, as the first one who began with it said. */
  readonly choice: unknown;
  /** The number of the purchase: raised by a run that buys anew, kept by the runs after it. */
  readonly purchase: number;
}

export interface PinRequest {
  readonly run: LedgerRun;
  /** Plain JSON. */
  readonly choice: unknown;
  readonly isFresh: boolean;
}

interface PinRow extends Record<string, unknown> {
  at: number;
  refusal: RefusalCode | null;
  choice: unknown;
  purchase: number | null;
}

/**
 * Pins runs, and notes their revisions as begun. Of each run the first pin holds. The answer to a run that is not wanted
 * any more is `Refused`.
 */
export async function pinRuns(db: Queryable, requests: readonly PinRequest[]): Promise<(Pin | Error)[]> {
  const rows = await db.query<PinRow>('SELECT * FROM pin_runs($1)', [JSON.stringify(requests.map(rowOf))]);
  const byPlace = new Map(rows.map((row) => [row.at, row]));
  return requests.map((_, at) => {
    const { refusal, choice, purchase } = byPlace.get(at) ?? { refusal: null, choice: null, purchase: null };
    if (refusal !== null) return refused(refusal);
    return purchase === null ? new Error('A run that was pinned has no pin.') : { choice, purchase };
  });
}

function rowOf({ run, choice, isFresh }: PinRequest, at: number): object {
  return { at, ...runRow(run), choice, is_fresh: isFresh };
}

/** A run as the ledger's functions read it. */
export function runRow({ tenantId, documentId, revision, jobId, analysis, run }: LedgerRun): object {
  return { tenant_id: tenantId, document_id: documentId, revision, job_id: jobId, analysis, run };
}

/**
 * Why nothing may be bought for a run any more. A job that is settled so is not changed by a refusal; one that a newer
 * revision has overtaken settles by it.
 */
export type RefusalCode = 'SUPERSEDED' | 'JOB_CLOSED';

export function refused(code: RefusalCode): Refused {
  return new Refused(code, failureCodes[code].text);
}
