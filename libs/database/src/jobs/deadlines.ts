import { reach } from '@anabranch/failures/fail-points';
import type { JobEvent } from '@anabranch/job';
import type { Database, Queryable } from '../database.js';
import { underWay } from '../job-states.js';
import { tell, type Batch, type NewEvent } from './batch.js';
import { lockDocuments, type DocumentKey } from './documents.js';
import { lockJobs, otherJobs } from './load.js';
import { insertOutcomes, type OutcomeRow } from './outcomes.js';
import { saveBatch, type SettledJob } from './save.js';

/** A job that is not settled although its deadline has passed by the database's clock. */
export interface OverdueJob extends DocumentKey {
  jobId: string;
  /** Epoch milliseconds. */
  deadlineAt: number;
}

interface OverdueRow extends Record<string, unknown> {
  id: string;
  tenant_id: string;
  document_id: string;
  deadline_at: Date;
}

/**
 * Jobs beyond their deadline, oldest deadline first, without those that the caller has already.
 * @throws DependencyUnavailable when Postgres does not answer
 */
export async function overdueJobs(
  db: Queryable,
  { known, limit }: { known: readonly string[]; limit: number },
): Promise<OverdueJob[]> {
  const rows = await db.query<OverdueRow>(
    `SELECT id, tenant_id, document_id, deadline_at FROM job
     WHERE state IN ${underWay} AND deadline_at <= now() AND id <> ALL($1::uuid[])
     ORDER BY deadline_at LIMIT $2`,
    [known, limit],
  );
  return rows.map(({ id, tenant_id, document_id, deadline_at }) => {
    return { jobId: id, tenantId: tenant_id, documentId: document_id, deadlineAt: deadline_at.getTime() };
  });
}

/**
 * Tells jobs that their deadline has passed: what is outstanding is late, and the jobs settle. A job that has settled
 * meanwhile stays as it is. Whether outcomes that came in time were all read is for the caller to know (semantics §4).
 * @throws DependencyUnavailable when Postgres does not answer
 */
export async function passDeadlines(db: Database, jobs: readonly OverdueJob[]): Promise<SettledJob[]> {
  const settled = await db.transaction(async (tx) => {
    const locked = await lockDocuments(tx, jobs);
    const due = jobs.map(({ jobId }) => jobId);
    const records = await lockJobs(tx, [...due, ...(await otherJobs(tx, locked, []))]);
    const batch: Batch = { ...locked, records, events: [] };
    for (const record of due.flatMap((jobId) => records.get(jobId) ?? [])) {
      if (record.job.deadlineAt > batch.now) continue;
      tell(batch, { record, fact: { type: 'deadlinePassed' }, causationId: `deadline ${record.job.id}` });
    }
    await insertOutcomes(tx, batch.events.flatMap(lateRow));
    return saveBatch(tx, batch, { ingested: false });
  });
  if (settled.length > 0) {
    reach('deadlines.passed');
    db.notify('document.enriched');
  }
  return settled;
}

/** An outcome that nobody sent: what the receipt says of an analysis that is late. */
function lateRow({ record, event }: NewEvent): OutcomeRow[] {
  if (!isLate(event)) return [];
  const { outcomeId, analysis, run, status, code, digest } = event.outcome;
  const nothing = { language: null, engine: null, coverage: null, usage: null, refusal: null, failure: null };
  return [
    {
      ...nothing,
      id: outcomeId,
      text_sha256: record.textSha256,
      tenant_id: record.tenantId,
      job_id: record.job.id,
      analysis,
      run,
      status,
      code,
      digest,
      event_id: outcomeId,
      warnings: [],
      result_schema: '',
      result: null,
      result_ref: null,
      finished_at: null,
    },
  ];
}

function isLate(event: JobEvent): event is Extract<JobEvent, { type: 'outcome-recorded' }> {
  return event.type === 'outcome-recorded' && event.outcome.status === 'late';
}
