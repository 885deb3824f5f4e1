import { isDeepStrictEqual } from 'node:util';
import { evolve, type Job, type JobEvent } from '@anabranch/job';
import type { Database, Queryable } from '../database.js';
import { lockDocuments } from './documents.js';
import { lockJobs } from './load.js';
import { writeProjection } from './save.js';

/** What a rebuild found. */
export interface Rebuilt {
  /** Jobs whose history was folded. */
  readonly jobs: number;
  /** Those whose row did not say what their history says. */
  readonly differing: readonly string[];
}

export interface RebuildOptions {
  /** Only looks, and changes nothing. */
  readonly isDryRun: boolean;
  /** Jobs of one transaction; 200 unless given. */
  readonly batchSize?: number;
}

/**
 * Folds the history of every job, and puts right the rows that say something else: the job row is a projection of its
 * history (architecture §5). It may run beside everything else, and be broken off at any time.
 * @throws Error when a history is none: it names the job; DependencyUnavailable
 */
export async function rebuildJobs(db: Database, { isDryRun, batchSize = 200 }: RebuildOptions): Promise<Rebuilt> {
  let jobs = 0;
  const differing: string[] = [];
  for (let after = ''; ;) {
    const keys = await nextJobs(db, after, batchSize);
    const last = keys.at(-1);
    if (last === undefined) return { jobs, differing };
    differing.push(...(await db.transaction((tx) => rebuildBatch(tx, keys, isDryRun))));
    jobs += keys.length;
    after = last.jobId;
  }
}

interface JobKey {
  readonly jobId: string;
  readonly tenantId: string;
  readonly documentId: string;
}

async function nextJobs(db: Queryable, after: string, limit: number): Promise<JobKey[]> {
  const rows = await db.query<{ id: string; tenant_id: string; document_id: string }>(
    `SELECT id, tenant_id, document_id FROM job WHERE $1 = '' OR id > nullif($1, '')::uuid ORDER BY id LIMIT $2`,
    [after, limit],
  );
  return rows.map(({ id, tenant_id, document_id }) => ({ jobId: id, tenantId: tenant_id, documentId: document_id }));
}

async function rebuildBatch(tx: Queryable, keys: readonly JobKey[], isDryRun: boolean): Promise<string[]> {
  // Under the locks of every other writer, so that rows and histories belong together.
  await lockDocuments(tx, keys);
  const ids = keys.map(({ jobId }) => jobId);
  const records = await lockJobs(tx, ids);
  const histories = await readHistories(tx, ids);
  const differing: string[] = [];
  for (const [jobId, record] of records) {
    const job = foldHistory(jobId, histories.get(jobId) ?? []);
    if (isDeepStrictEqual(normal(job), normal(record.job))) continue;
    differing.push(jobId);
    if (!isDryRun) await writeProjection(tx, { ...record, job });
  }
  return differing;
}

interface EventRow extends Record<string, unknown> {
  job_id: string;
  type: JobEvent['type'];
  data: object;
}

async function readHistories(tx: Queryable, jobIds: readonly string[]): Promise<Map<string, JobEvent[]>> {
  const rows = await tx.query<EventRow>(
    'SELECT job_id, type, data FROM job_event WHERE job_id = ANY($1::uuid[]) ORDER BY job_id, number',
    [jobIds],
  );
  const events = rows.map(({ job_id, type, data }) => ({ jobId: job_id, event: { type, ...data } as JobEvent }));
  const byJob = Map.groupBy(events, ({ jobId }) => jobId);
  return new Map([...byJob].map(([jobId, steps]) => [jobId, steps.map(({ event }) => event)]));
}

function foldHistory(jobId: string, events: readonly JobEvent[]): Job {
  try {
    const job = events.reduce<Job | null>(evolve, null);
    if (job === null) throw new Error('it is empty');
    return job;
  } catch (error) {
    throw new Error(`The history of the job ${jobId} cannot be folded: ${String(error)}.`, { cause: error });
  }
}

/** A job whose analyses stand in one order. */
function normal(job: Job): Job {
  const names = Object.keys(job.analyses).sort();
  return { ...job, analyses: Object.fromEntries(names.map((name) => [name, job.analyses[name]])) } as Job;
}
