// Reads jobs for one tenant. A job of another tenant is answered as one that does not exist.
import type { Database } from '@anabranch/database';
import {
  getHistory,
  getJob,
  getResult,
  getText,
  InvalidCursor,
  listJobs,
  type HistoryEvent,
  type JobFilter,
  type JobPage,
  type JobResult,
  type JobView,
} from '@anabranch/database/jobs';
import { isSettled } from '@anabranch/job';
import type { ObjectStore } from '@anabranch/object-store';
import { Problem } from '../http/problem.js';
import { jobNotFound } from './job-not-found.js';
import { readResults, readText } from './stored-content.js';

/** A result with all its content: what was a claim check has been fetched. */
export type SettledResult = Omit<JobResult, 'resultRefs'>;

export interface JobReader {
  job(tenantId: string, jobId: string): Promise<JobView>;
  list(tenantId: string, filter: JobFilter): Promise<JobPage>;
  /** Throws the problem RESULT_NOT_READY while the job is not settled. */
  result(tenantId: string, jobId: string): Promise<SettledResult>;
  text(tenantId: string, jobId: string): Promise<string>;
  history(tenantId: string, jobId: string, range: { after: number; limit: number }): Promise<HistoryEvent[]>;
}

/**
 * Every method throws the problem JOB_NOT_FOUND, or DependencyUnavailable; those that read claim checks throw
 * CONTENT_UNREADABLE when the store does not have what was announced.
 */
export function createJobReader(db: Database, store: ObjectStore): JobReader {
  return {
    job: async (tenantId, jobId) => found(await getJob(db, tenantId, jobId)),
    list: (tenantId, filter) => list(db, tenantId, filter),
    result: async (tenantId, jobId) => {
      const { resultRefs, results, ...result } = found(await getResult(db, tenantId, jobId));
      if (!isSettled(result.state)) throw notReady(result);
      const fetched = await readResults(store, tenantId, resultRefs);
      return { ...result, results: { ...results, ...fetched } };
    },
    text: async (tenantId, jobId) => readText(store, tenantId, found(await getText(db, tenantId, jobId))),
    history: async (tenantId, jobId, range) => {
      found(await getJob(db, tenantId, jobId));
      return getHistory(db, tenantId, { jobId, ...range });
    },
  };
}

function found<T>(value: T | null): T {
  if (value === null) throw jobNotFound();
  return value;
}

async function list(db: Database, tenantId: string, filter: JobFilter): Promise<JobPage> {
  try {
    return await listJobs(db, tenantId, filter);
  } catch (error) {
    if (!(error instanceof InvalidCursor)) throw error;
    throw new Problem('INVALID_REQUEST', 'Take the cursor from nextCursor of the page before, unchanged.', {
      extensions: { errors: [{ field: 'query.cursor', message: error.message }] },
      cause: error,
    });
  }
}

function notReady({ state, jobId }: Pick<JobResult, 'state' | 'jobId'>): Problem {
  return new Problem(
    'RESULT_NOT_READY',
    `The job is ${state}. Ask again, or watch /v1/jobs/${jobId} until it settles.`,
    {
      headers: { 'retry-after': '1' },
      extensions: { state },
    },
  );
}
