import type { Job, JobState, Outcome, OutcomeStatus } from '@anabranch/job';
import type { Queryable, Row } from '../database.js';
import { published, unsettled } from '../job-states.js';
import type { JobRecord } from './batch.js';
import { documentKey, type DocumentKey, type LockedDocuments } from './documents.js';

interface AnalysisRow {
  analysis: string;
  wantedRun: number;
  run: number | null;
  status: OutcomeStatus | null;
  code: string | null;
  outcomeId: string | null;
  digest: string | null;
}

interface JobRow extends Row {
  id: string;
  tenant_id: string;
  document_id: string;
  revision: string;
  state: JobState;
  reason: string | null;
  superseded_by: string | null;
  result_version: number;
  sequence: number;
  content_sha256: string | null;
  text_sha256: string;
  traceparent: string | null;
  deadline_at: Date;
  created_at: Date;
  updated_at: Date;
  analyses: AnalysisRow[] | null;
}

/** Jobs that a newer revision of these documents may take the place of. Their documents must be locked. */
async function unsettledJobs(tx: Queryable, keys: readonly DocumentKey[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await tx.query<{ id: string }>(
    `SELECT j.id FROM unnest($1::text[], $2::text[]) AS k(tenant_id, document_id)
     JOIN job j USING (tenant_id, document_id)
     WHERE j.state IN ${unsettled}`,
    [keys.map(({ tenantId }) => tenantId), keys.map(({ documentId }) => documentId)],
  );
  return rows.map(({ id }) => id);
}

/**
 * The other jobs of documents that the batch touches: the unsettled ones of `overtaken` documents, whose time without a
 * published result is noted as well, and the kept ones of all.
 */
export async function otherJobs(
  tx: Queryable,
  { documents }: LockedDocuments,
  overtaken: readonly DocumentKey[],
): Promise<string[]> {
  const kept = [...documents.values()].flatMap(({ keptJobId }) => keptJobId ?? []);
  const older = await unsettledJobs(tx, overtaken);
  // Only where something may be superseded does it matter when a result was published.
  for (const { key, publishedAt } of older.length === 0 ? [] : await lastPublished(tx, overtaken)) {
    const document = documents.get(key);
    if (document !== undefined) document.unpublishedSince = Math.max(document.unpublishedSince, publishedAt);
  }
  return [...kept, ...older];
}

async function lastPublished(tx: Queryable, keys: readonly DocumentKey[]) {
  const rows = await tx.query<{ tenant_id: string; document_id: string; at: Date }>(
    `SELECT k.tenant_id, k.document_id, max(s.settled_at) AS at
     FROM unnest($1::text[], $2::text[]) AS k(tenant_id, document_id)
     JOIN job j USING (tenant_id, document_id)
     JOIN settlement s ON s.job_id = j.id AND s.state IN ${published}
     GROUP BY k.tenant_id, k.document_id`,
    [keys.map(({ tenantId }) => tenantId), keys.map(({ documentId }) => documentId)],
  );
  return rows.map(({ tenant_id: tenantId, document_id: documentId, at }) => {
    return { key: documentKey({ tenantId, documentId }), publishedAt: at.getTime() };
  });
}

/**
 * Locks the jobs, sorted, and reads them, in one statement. Their documents must be locked: then no other transaction
 * changes the analyses that are read beside the locked rows.
 */
export async function lockJobs(tx: Queryable, jobIds: readonly string[]): Promise<Map<string, JobRecord>> {
  const rows = await tx.query<JobRow>(
    `SELECT j.id, j.tenant_id, j.document_id, j.revision, j.state, j.reason, j.superseded_by, j.result_version,
            j.sequence, j.content_sha256, j.text_sha256, j.traceparent, j.deadline_at, j.created_at, j.updated_at,
            (SELECT json_agg(json_build_object(
                      'analysis', a.analysis, 'wantedRun', a.wanted_run, 'run', a.effective_run,
                      'status', a.effective_status, 'code', a.effective_code,
                      'outcomeId', a.effective_outcome_id, 'digest', a.effective_digest))
             FROM job_analysis a WHERE a.job_id = j.id) AS analyses
     FROM job j WHERE j.id = ANY($1::uuid[])
     ORDER BY j.id
     FOR NO KEY UPDATE OF j`,
    [[...new Set(jobIds)]],
  );
  return new Map(rows.map((row) => [row.id, recordOf(row)]));
}

function recordOf(row: JobRow): JobRecord {
  const analyses = (row.analyses ?? []).map((analysis) => {
    return [analysis.analysis, { wantedRun: analysis.wantedRun, effective: effectiveOf(analysis) }] as const;
  });
  const job: Job = {
    id: row.id,
    revision: Number(row.revision),
    state: row.state,
    reason: row.reason,
    supersededBy: row.superseded_by === null ? null : Number(row.superseded_by),
    deadlineAt: row.deadline_at.getTime(),
    analyses: Object.fromEntries(analyses),
    resultVersion: row.result_version,
    sequence: row.sequence,
  };
  return {
    job,
    tenantId: row.tenant_id,
    documentId: row.document_id,
    textSha256: row.text_sha256,
    contentSha256: row.content_sha256,
    traceparent: row.traceparent,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    opening: null,
  };
}

function effectiveOf({ analysis, run, status, code, outcomeId, digest }: AnalysisRow): Outcome | null {
  if (run === null || status === null || outcomeId === null || digest === null) return null;
  return { outcomeId, analysis, run, status, code, digest };
}
