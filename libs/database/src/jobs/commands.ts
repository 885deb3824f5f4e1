import { commandIdOf } from '@anabranch/contracts';
import { reach } from '@anabranch/failures/fail-points';
import { isSettled, mayRunAgain, wantedRunOf, type Fact, type Job, type JobState } from '@anabranch/job';
import type { Database, Queryable } from '../database.js';
import { tell, type Batch, type JobRecord } from './batch.js';
import { lockDocuments } from './documents.js';
import { viewOfRecord, type JobView } from './job-view.js';
import { lockJobs } from './load.js';
import { isUuid } from './read-jobs.js';
import { saveBatch } from './save.js';

/** The name in the outbox for the commands to all analyses: one relay carries them, each to its own topic. */
export const commandOutbox = 'analysis.requested';

/** Whose job it is. */
export interface JobAddress {
  tenantId: string;
  jobId: string;
}

export interface RunRequest extends JobAddress {
  analysis: string;
  /** The newest run that the caller knows of. */
  expectedRun: number;
  /** Whether to buy again what was bought before. */
  isFresh: boolean;
  /** Id of the request that asks. */
  causationId: string;
}

/** What became of a request for a run. */
export type RunAnswer =
  | { kind: 'requested'; run: number }
  /** Somebody else has asked meanwhile. */
  | { kind: 'moved'; wantedRun: number }
  /** The job was withdrawn or overtaken: no outcome would count. */
  | { kind: 'closed'; state: JobState }
  | { kind: 'unknown-analysis'; analyses: readonly string[] };

/**
 * Allocates one more run of an analysis and asks for it, in one transaction. Null when this tenant has no such job.
 * @throws DependencyUnavailable when Postgres does not answer: asking again finds out, by `moved`
 */
export async function requestRun(db: Database, request: RunRequest): Promise<RunAnswer | null> {
  const answer = await onJob<RunAnswer>(db, request, async (tx, batch, record) => {
    const { analysis, expectedRun } = request;
    const refusal = refusalOf(record.job, analysis, expectedRun);
    if (refusal !== null) return refusal;
    await tellJob(tx, batch, { record, fact: { type: 'runRequested', analysis, expectedRun }, ...request });
    const run = expectedRun + 1;
    await insertCommand(tx, record, { ...request, run });
    return { kind: 'requested', run };
  });
  if (answer?.kind === 'requested') {
    reach('command.committed');
    db.notify(commandOutbox);
  }
  return answer;
}

function refusalOf(job: Job, analysis: string, expectedRun: number): RunAnswer | null {
  const wantedRun = wantedRunOf(job, analysis);
  if (wantedRun === null) return { kind: 'unknown-analysis', analyses: Object.keys(job.analyses).sort() };
  if (!mayRunAgain(job)) return { kind: 'closed', state: job.state };
  return wantedRun === expectedRun ? null : { kind: 'moved', wantedRun };
}

export interface CancelRequest extends JobAddress {
  /** Why, for the receipt. */
  reason: string;
  /** Id of the request that asks. */
  causationId: string;
}

/** The job as it is now; `refused` when it was settled in another way before. */
export interface CancelAnswer {
  kind: 'cancelled' | 'refused';
  job: JobView;
}

/**
 * Settles a job as cancelled. Asking again is no fault. Null when this tenant has no such job.
 * @throws DependencyUnavailable when Postgres does not answer
 */
export async function cancelJob(db: Database, request: CancelRequest): Promise<CancelAnswer | null> {
  const answer = await onJob<CancelAnswer & { isNew: boolean }>(db, request, async (tx, batch, record) => {
    const isNew = !isSettled(record.job.state);
    if (isNew) await tellJob(tx, batch, { record, fact: { type: 'cancelled', reason: request.reason }, ...request });
    const kind = record.job.state === 'cancelled' ? 'cancelled' : 'refused';
    return { kind, job: viewOfRecord(isNew ? { ...record, updatedAt: batch.now } : record), isNew };
  });
  if (answer?.isNew) db.notify('document.enriched');
  return answer && { kind: answer.kind, job: answer.job };
}

type JobWork<T> = (tx: Queryable, batch: Batch, record: JobRecord) => Promise<T>;

/** Works on one job of the tenant, under the locks of its document and its own. */
async function onJob<T>(db: Database, { tenantId, jobId }: JobAddress, work: JobWork<T>): Promise<T | null> {
  if (!isUuid(jobId)) return null;
  return db.writeAs([tenantId], async (tx) => {
    const [found] = await tx.query<{ document_id: string }>(
      'SELECT document_id FROM job WHERE id = $1 AND tenant_id = $2',
      [jobId, tenantId],
    );
    if (found === undefined) return null;
    const locked = await lockDocuments(tx, [{ tenantId, documentId: found.document_id }]);
    const records = await lockJobs(tx, [jobId]);
    const record = records.get(jobId.toLowerCase());
    return record === undefined ? null : work(tx, { ...locked, records, events: [] }, record);
  });
}

interface Telling {
  record: JobRecord;
  fact: Fact;
  causationId: string;
}

async function tellJob(tx: Queryable, batch: Batch, { record, fact, causationId }: Telling): Promise<void> {
  tell(batch, { record, fact, causationId });
  await saveBatch(tx, batch, { ingested: false });
}

async function insertCommand(
  tx: Queryable,
  { job, tenantId, documentId }: JobRecord,
  { analysis, run, isFresh, causationId }: Pick<RunRequest, 'analysis' | 'isFresh' | 'causationId'> & { run: number },
): Promise<void> {
  const id = commandIdOf({ jobId: job.id, analysis, run, release: 0 });
  await tx.query(
    `INSERT INTO command (id, job_id, tenant_id, analysis, run, cause, fresh, causation_id)
     VALUES ($1, $2, $3, $4, $5, 'RERUN', $6, $7)`,
    [id, job.id, tenantId, analysis, run, isFresh, causationId],
  );
  await tx.query('INSERT INTO outbox (topic, row_id, tenant_id, document_id) VALUES ($1, $2, $3, $4)', [
    commandOutbox,
    id,
    tenantId,
    documentId,
  ]);
}
