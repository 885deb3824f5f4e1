// Jobs as their histories have them: what stands in `job` and `job_analysis`, compared and written anew.
import { isDeepStrictEqual } from 'node:util';
import type { Job } from '@anabranch/job';
import type { Queryable } from '../database.js';
import type { JobRecord } from './batch.js';
import { analysisRows, insertAnalyses, jobRow } from './save.js';

/** All that follows from a history and its revision. What else a row holds came with the request, and stays. */
export type Projection = Omit<JobRecord, 'opening'>;

/** Whether the row says what the history says. */
export function isSameProjection(row: Projection | undefined, folded: Projection): boolean {
  return row !== undefined && isDeepStrictEqual(comparable(row), comparable(folded));
}

/** With the analyses in one order, and without what no history has. */
function comparable({ job, tenantId, documentId, textSha256, createdAt, updatedAt }: Projection) {
  const names = Object.keys(job.analyses).sort();
  const analyses: Job['analyses'] = Object.fromEntries(names.flatMap((name) => pairOf(job, name)));
  return { job: { ...job, analyses }, tenantId, documentId, textSha256, createdAt, updatedAt };
}

function pairOf({ analyses }: Job, name: string) {
  const analysis = analyses[name];
  return analysis === undefined ? [] : [[name, analysis] as const];
}

// A row that was lost has no correlation id and trace any more.
const upsertJobs = `
  INSERT INTO job (id, tenant_id, document_id, revision, state, reason, superseded_by, result_version, sequence,
    content_sha256, text_sha256, correlation_id, deadline_at, created_at, updated_at)
  SELECT id, tenant_id, document_id, revision, state, reason, superseded_by, result_version, sequence,
    content_sha256, text_sha256, id::text, deadline_at, created_at, updated_at
  FROM json_to_recordset($1) AS j(id uuid, tenant_id text, document_id text, revision bigint, state text, reason text,
    superseded_by bigint, result_version integer, sequence integer, content_sha256 text, text_sha256 text,
    deadline_at timestamptz, created_at timestamptz, updated_at timestamptz)
  ON CONFLICT (id) DO UPDATE SET tenant_id = excluded.tenant_id, document_id = excluded.document_id,
    revision = excluded.revision, state = excluded.state, reason = excluded.reason,
    superseded_by = excluded.superseded_by, result_version = excluded.result_version, sequence = excluded.sequence,
    text_sha256 = excluded.text_sha256, deadline_at = excluded.deadline_at, created_at = excluded.created_at,
    updated_at = excluded.updated_at`;

// The next revision is one more than this.
const raiseDocuments = `
  UPDATE document d SET latest_revision = n.revision
  FROM (SELECT tenant_id, document_id, max(revision) AS revision
        FROM json_to_recordset($1) AS j(tenant_id text, document_id text, revision bigint)
        GROUP BY tenant_id, document_id) AS n
  WHERE d.tenant_id = n.tenant_id AND d.document_id = n.document_id
    AND (d.latest_revision IS NULL OR d.latest_revision < n.revision)`;

/** Writes them over what is there. Their documents must be locked. */
export async function writeProjections(tx: Queryable, projections: readonly Projection[]): Promise<void> {
  if (projections.length === 0) return;
  const records = projections.map((projection) => ({ ...projection, opening: null }));
  const rows = records.map((record) => {
    const { createdAt, updatedAt } = record;
    return { ...jobRow(record), created_at: new Date(createdAt), updated_at: new Date(updatedAt) };
  });
  const written = JSON.stringify(rows);
  await tx.query(upsertJobs, [written]);
  await tx.query(raiseDocuments, [written]);
  await tx.query('DELETE FROM job_analysis WHERE job_id = ANY($1::uuid[])', [records.map(({ job }) => job.id)]);
  await tx.query(insertAnalyses, [JSON.stringify(records.flatMap(analysisRows))]);
}
