import type { ContentRef } from '@anabranch/contracts';
import { mayRunAgain, type JobState } from '@anabranch/job';
import { Brackets, In, MoreThan, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import type { Database, Queryable } from '../database.js';
import { unsettled } from '../job-states.js';
import { decodeCursor, encodeCursor, type Position } from './cursor.js';
import { DocumentRevisionEntity, JobAnalysisEntity, JobEntity, JobEventEntity } from './entities.js';
import { jobView, type JobView, type Wait } from './job-view.js';

// Every read names the tenant: another tenant's job does not exist.

/** Which jobs to list. */
export interface JobFilter {
  state?: JobState;
  documentId?: string;
  /** Inclusive. */
  createdAfter?: Date;
  /** Exclusive. */
  createdBefore?: Date;
  /** From a former page. */
  cursor?: string;
  /** From 1 to 200; 50 unless given. */
  limit?: number;
}

export interface JobPage {
  /** Newest first. */
  jobs: JobView[];
  /** Null on the last page. */
  nextCursor: string | null;
}

/** The job, with what it waits for, or null when this tenant has none of that id. */
export async function getJob(db: Database, tenantId: string, jobId: string): Promise<JobView | null> {
  if (!isUuid(jobId)) return null;
  return db.readAs(tenantId, async (entities, rows) => {
    const [view] = await viewsOf(entities, await entities.findBy(JobEntity, { id: jobId, tenantId }));
    if (view === undefined) return null;
    // A run of a job that was withdrawn or overtaken is forgotten when its wait is over.
    if (!mayRunAgain(view)) return view;
    const waits = await waitsOf(rows, tenantId, jobId);
    return Object.keys(waits).length === 0 ? view : { ...view, waits };
  });
}

async function waitsOf(rows: Queryable, tenantId: string, jobId: string): Promise<Record<string, Wait>> {
  const found = await rows.query<{ analysis: string; reason: string; due_at: Date }>(
    'SELECT analysis, reason, due_at FROM deferred WHERE job_id = $1 AND tenant_id = $2 ORDER BY analysis, run',
    [jobId, tenantId],
  );
  return Object.fromEntries(
    found.map(({ analysis, reason, due_at }) => [analysis, { reason, until: due_at.toISOString() }]),
  );
}

/**
 * The tenant's jobs, newest first.
 * @throws InvalidCursor for a cursor that no page gave
 */
export async function listJobs(db: Database, tenantId: string, filter: JobFilter = {}): Promise<JobPage> {
  const limit = Math.min(Math.max(filter.limit ?? 50, 1), 200);
  const position = filter.cursor === undefined ? null : decodeCursor(filter.cursor);
  return db.readAs(tenantId, async (entities) => {
    const query = entities.createQueryBuilder(JobEntity, 'job').where('job.tenantId = :tenantId', { tenantId });
    applyFilter(query, filter, position);
    query.orderBy('job.createdAt', 'DESC').addOrderBy('job.id', 'DESC');
    const found = await query.limit(limit + 1).getMany();
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      jobs: await viewsOf(entities, page),
      nextCursor: found.length > limit && last ? encodeCursor({ createdAt: last.createdAt, id: last.id }) : null,
    };
  });
}

function applyFilter(query: SelectQueryBuilder<JobEntity>, filter: JobFilter, position: Position | null): void {
  const { state, documentId, createdAfter, createdBefore } = filter;
  if (state !== undefined) query.andWhere('job.state = :state', { state });
  if (documentId !== undefined) query.andWhere('job.documentId = :documentId', { documentId });
  if (createdAfter !== undefined) query.andWhere('job.createdAt >= :createdAfter', { createdAfter });
  if (createdBefore !== undefined) query.andWhere('job.createdAt < :createdBefore', { createdBefore });
  if (position === null) return;
  const isOlder = new Brackets((older) => older.where('(job.createdAt, job.id) < (:cursorAt, :cursorId)'));
  query.andWhere(isOlder, { cursorAt: position.createdAt, cursorId: position.id });
}

/** The views of jobs, in their order. */
export async function viewsOf(entities: EntityManager, jobs: readonly JobEntity[]): Promise<JobView[]> {
  if (jobs.length === 0) return [];
  const ids = jobs.map(({ id }) => id);
  const rows = await entities.findBy(JobAnalysisEntity, { jobId: In(ids) });
  const byJob = Map.groupBy(rows, ({ jobId }) => jobId);
  return jobs.map((job) => {
    const analyses = byJob.get(job.id) ?? [];
    return jobView(
      job,
      analyses.map(({ analysis, wantedRun, effectiveStatus }) => ({ analysis, wantedRun, status: effectiveStatus })),
    );
  });
}

/**
 * Which of these jobs are settled.
 * @throws DependencyUnavailable when Postgres does not answer
 */
export async function settledJobs(db: Queryable, jobIds: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `SELECT id FROM job WHERE id = ANY($1::uuid[]) AND state NOT IN ${unsettled}`,
    [jobIds],
  );
  return rows.map(({ id }) => id);
}

/** One step of a job's history. */
export interface HistoryEvent {
  /** From 1, without gaps. */
  number: number;
  type: string;
  /** ISO 8601 in UTC. */
  at: string;
  data: Record<string, unknown>;
}

/** Which part of a job's history. */
export interface HistoryRange {
  jobId: string;
  /** The number that the reader has already; 0 unless given. */
  after?: number;
  /** 200 unless given. */
  limit?: number;
}

/** A job's history, oldest first. Empty for a job that this tenant does not have. */
export async function getHistory(
  db: Database,
  tenantId: string,
  { jobId, after = 0, limit = 200 }: HistoryRange,
): Promise<HistoryEvent[]> {
  if (!isUuid(jobId)) return [];
  const where = { jobId, tenantId, number: MoreThan(after) };
  const events = await db.readAs(tenantId, (entities) => {
    return entities.find(JobEventEntity, { where, order: { number: 'ASC' }, take: limit });
  });
  return events.map(({ number, type, at, data }) => ({ number, type, at: at.toISOString(), data }));
}

/** The text that a job is about. */
export interface JobText {
  /** The cleaned text, when it is stored inline; else it is the claim check's content, to be cleaned by the reader. */
  text: string | null;
  textRef: ContentRef | null;
  /** SHA-256 of the cleaned text, lower-case hex. */
  textSha256: string;
  mediaType: string;
  charset: string | null;
}

/** The text that offsets in the job's results refer to; null when this tenant has no such job. */
export async function getText(db: Database, tenantId: string, jobId: string): Promise<JobText | null> {
  if (!isUuid(jobId)) return null;
  const revision = await db.readAs(tenantId, (entities) => {
    return entities.findOneBy(DocumentRevisionEntity, { jobId, tenantId });
  });
  if (revision === null) return null;
  const { text, textRef, textSha256, mediaType, charset } = revision;
  return { text, textRef, textSha256, mediaType, charset };
}

/** What is no UUID is no id of ours; Postgres would refuse it as a fault of the query. */
export function isUuid(id: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id);
}
