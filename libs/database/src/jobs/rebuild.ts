import type { Sensitivity } from '@anabranch/contracts';
import { evolve, type Job, type JobEvent } from '@anabranch/job';
import type { Database, Queryable } from '../database.js';
import { contentSha256Of } from './content.js';
import { lockDocuments, type DocumentKey } from './documents.js';
import { lockJobs } from './load.js';
import { isSameProjection, writeProjections, type Projection } from './projection.js';

/** What a rebuild found. */
export interface Rebuilt {
  /** Jobs whose history was folded. */
  readonly jobs: number;
  /** Those whose rows did not say what their history says, or were not there. */
  readonly differing: readonly string[];
}

export interface RebuildOptions {
  /** Only looks, and changes nothing. */
  readonly isDryRun: boolean;
  /** Jobs of one transaction; 200 unless given. */
  readonly batchSize?: number;
}

/**
 * Folds the history of every revision that was accepted, and puts right the rows of jobs and their analyses that say
 * something else, or are not there: they are a projection of the history (architecture §5). It may run beside everything
 * else, and be broken off at any time.
 * @throws Error when a history is none: it names the job; DependencyUnavailable
 */
export async function rebuildJobs(db: Database, { isDryRun, batchSize = 200 }: RebuildOptions): Promise<Rebuilt> {
  let jobs = 0;
  const differing: string[] = [];
  for (let after = ''; ;) {
    const revisions = await nextRevisions(db, after, batchSize);
    const last = revisions.at(-1);
    if (last === undefined) return { jobs, differing };
    differing.push(...(await db.transaction((tx) => rebuildBatch(tx, revisions, isDryRun))));
    jobs += revisions.length;
    after = last.jobId;
  }
}

/** What the history does not say of a job. */
interface Revision extends DocumentKey {
  readonly jobId: string;
  readonly textSha256: string;
  readonly contentSha256: string | null;
}

interface RevisionRow extends Record<string, unknown> {
  job_id: string;
  tenant_id: string;
  document_id: string;
  text_sha256: string;
  media_type: string;
  sensitivity: Sensitivity;
  metadata: Record<string, string>;
}

async function nextRevisions(db: Queryable, after: string, limit: number): Promise<Revision[]> {
  const rows = await db.query<RevisionRow>(
    `SELECT job_id, tenant_id, document_id, text_sha256, media_type, sensitivity, metadata FROM document_revision
     WHERE $1 = '' OR job_id > nullif($1, '')::uuid ORDER BY job_id LIMIT $2`,
    [after, limit],
  );
  return rows.map(({ job_id, tenant_id, document_id, text_sha256, media_type, sensitivity, metadata }) => {
    const content = { textSha256: text_sha256, mediaType: media_type, sensitivity, metadata };
    const contentSha256 = text_sha256 === '' ? null : contentSha256Of(content);
    return { jobId: job_id, tenantId: tenant_id, documentId: document_id, textSha256: text_sha256, contentSha256 };
  });
}

async function rebuildBatch(tx: Queryable, revisions: readonly Revision[], isDryRun: boolean): Promise<string[]> {
  // Under the locks of every other writer, so that rows and histories belong together. A dry run, for which those of the jobs
  // do, must not make the rows of documents that are gone.
  if (!isDryRun) await lockDocuments(tx, revisions);
  const ids = revisions.map(({ jobId }) => jobId);
  const records = await lockJobs(tx, ids);
  const histories = await readHistories(tx, ids);
  const folded = revisions.map((revision) => fold(revision, histories.get(revision.jobId) ?? []));
  const differing = folded.filter((projection) => !isSameProjection(records.get(projection.job.id), projection));
  if (!isDryRun) await writeProjections(tx, differing);
  return differing.map(({ job }) => job.id);
}

/** A step, and when it was written. */
interface Step {
  readonly event: JobEvent;
  readonly at: number;
}

interface EventRow extends Record<string, unknown> {
  job_id: string;
  type: JobEvent['type'];
  data: object;
  at: Date;
}

async function readHistories(tx: Queryable, jobIds: readonly string[]): Promise<Map<string, Step[]>> {
  const rows = await tx.query<EventRow>(
    'SELECT job_id, type, data, at FROM job_event WHERE job_id = ANY($1::uuid[]) ORDER BY job_id, number',
    [jobIds],
  );
  const byJob = Map.groupBy(rows, ({ job_id }) => job_id);
  const stepOf = ({ type, data, at }: EventRow): Step => ({ event: { type, ...data } as JobEvent, at: at.getTime() });
  return new Map([...byJob].map(([jobId, steps]) => [jobId, steps.map(stepOf)]));
}

function fold({ jobId, ...revision }: Revision, steps: readonly Step[]): Projection {
  const [first, last] = [steps[0], steps.at(-1)];
  try {
    const job = steps.reduce<Job | null>((before, { event }) => evolve(before, event), null);
    if (job === null || first === undefined || last === undefined) throw new Error('it is empty');
    return { ...revision, job, traceparent: null, createdAt: first.at, updatedAt: last.at };
  } catch (error) {
    throw new Error(`The history of the job ${jobId} cannot be folded: ${String(error)}.`, { cause: error });
  }
}
