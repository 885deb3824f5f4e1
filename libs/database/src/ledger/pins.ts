import { failureCodes, Refused } from '@anabranch/failures';
import type { Queryable } from '../database.js';
import { closed } from '../job-states.js';
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
  job_id: string;
  analysis: string;
  run: number;
  choice: unknown;
  purchase: number;
}

const runRows = `json_to_recordset($1) AS r(tenant_id text, document_id text, revision bigint, job_id uuid, analysis text,
  run integer, choice jsonb, is_fresh boolean)`;

// Sorted, so that two batches never lock the same rows in different orders.
const insertPins = `
  INSERT INTO pin (job_id, analysis, run, tenant_id, purchase, choice)
  SELECT r.job_id, r.analysis, r.run, r.tenant_id,
         CASE WHEN r.is_fresh THEN r.run
              ELSE coalesce((SELECT max(p.purchase) FROM pin p
                             WHERE p.job_id = r.job_id AND p.analysis = r.analysis AND p.run < r.run), 1) END,
         r.choice
  FROM ${runRows}
  ORDER BY r.job_id, r.analysis, r.run
  ON CONFLICT DO NOTHING`;

const raiseRevisions = `
  INSERT INTO begun_revision AS b (tenant_id, document_id, analysis, revision)
  SELECT tenant_id, document_id, analysis, max(revision) FROM ${runRows}
  GROUP BY tenant_id, document_id, analysis
  ORDER BY tenant_id, document_id, analysis
  ON CONFLICT (tenant_id, document_id, analysis) DO UPDATE SET revision = excluded.revision, begun_at = now()
  WHERE b.revision < excluded.revision`;

const selectPins = `
  SELECT p.job_id, p.analysis, p.run, p.choice, p.purchase
  FROM ${runRows} JOIN pin p USING (job_id, analysis, run)`;

/**
 * Pins runs, and notes their revisions as begun. Of each run the first pin holds. The answer to a run that is not wanted
 * any more is `Refused`.
 */
export async function pinRuns(tx: Queryable, requests: readonly PinRequest[]): Promise<(Pin | Error)[]> {
  const unwanted = await unwantedRuns(
    tx,
    requests.map(({ run }) => run),
  );
  const wanted = requests.filter((_, at) => unwanted[at] === null);
  const rows = JSON.stringify(wanted.map(rowOf));
  if (wanted.length > 0) {
    await tx.query(raiseRevisions, [rows]);
    await tx.query(insertPins, [rows]);
  }
  const pins = wanted.length === 0 ? [] : await tx.query<PinRow>(selectPins, [rows]);
  const byRun = new Map(pins.map(({ job_id, analysis, run, ...pin }) => [`${job_id} ${analysis} ${run}`, pin]));
  return requests.map(({ run: { jobId, analysis, run } }, at) => {
    return unwanted[at] ?? byRun.get(`${jobId} ${analysis} ${run}`) ?? new Error('A run that was pinned has no pin.');
  });
}

function rowOf({ run, choice, isFresh }: PinRequest): object {
  const { tenantId, documentId, revision, jobId, analysis } = run;
  const key = { tenant_id: tenantId, document_id: documentId, revision, job_id: jobId, analysis };
  return { ...key, run: run.run, choice, is_fresh: isFresh };
}

interface UnwantedRow extends Record<string, unknown> {
  at: number;
  state: string | null;
  is_lower: boolean;
}

/** For each run, why nothing may be bought for it any more; null when it may. */
export async function unwantedRuns(tx: Queryable, runs: readonly LedgerRun[]): Promise<(Refused | null)[]> {
  const rows = await tx.query<UnwantedRow>(
    `SELECT r.at, j.state, coalesce(b.revision > r.revision, false) AS is_lower
     FROM json_to_recordset($1) AS r(at integer, tenant_id text, document_id text, revision bigint, job_id uuid, analysis text)
     LEFT JOIN job j ON j.id = r.job_id AND j.state IN ${closed}
     LEFT JOIN begun_revision b ON (b.tenant_id, b.document_id, b.analysis) = (r.tenant_id, r.document_id, r.analysis)
     WHERE j.id IS NOT NULL OR b.revision > r.revision`,
    [JSON.stringify(runs.map((run, at) => ({ ...rowOf({ run, choice: null, isFresh: false }), at })))],
  );
  const byPlace = new Map(rows.map((row) => [row.at, refusalOf(row)]));
  return runs.map((_, at) => byPlace.get(at) ?? null);
}

/** A job that is settled so is not changed by a refusal; one that a newer revision has overtaken settles by it. */
function refusalOf({ state, is_lower }: UnwantedRow): Refused {
  const code = is_lower || state === 'superseded' ? 'SUPERSEDED' : 'JOB_CLOSED';
  return new Refused(code, failureCodes[code].text);
}
