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
import type { StoredResults } from './render-results.js';
import { resultBody, type OffsetUnit, type ResultBody } from './result-json.js';
import type { ResultRenderer } from './result-renderer.js';
import { readResults, readText, readTextOfOffsets, unreadableResult } from './stored-content.js';

/** Which result, and in what its offsets count. */
export interface ResultQuery {
  jobId: string;
  offsets: OffsetUnit;
}

export interface JobReader {
  job(tenantId: string, jobId: string): Promise<JobView>;
  list(tenantId: string, filter: JobFilter): Promise<JobPage>;
  /** With all its content, also what lies in the object store. Throws the problem RESULT_NOT_READY before it is settled. */
  result(tenantId: string, query: ResultQuery): Promise<ResultBody>;
  /** A string, or bytes of UTF-8. */
  text(tenantId: string, jobId: string): Promise<string | Buffer>;
  history(tenantId: string, jobId: string, range: { after: number; limit: number }): Promise<HistoryEvent[]>;
}

/** Where jobs are kept, and what makes JSON of their results. */
export interface JobSources {
  db: Database;
  store: ObjectStore;
  render: ResultRenderer;
}

/**
 * Every method throws the problem JOB_NOT_FOUND, or DependencyUnavailable; those that read claim checks throw
 * CONTENT_UNREADABLE when the store does not have what was announced.
 */
export function createJobReader(sources: JobSources): JobReader {
  const { db, store } = sources;
  return {
    job: async (tenantId, jobId) => found(await getJob(db, tenantId, jobId)),
    list: (tenantId, filter) => explainCursor(listJobs(db, tenantId, filter)),
    result: (tenantId, query) => readResult(sources, tenantId, query),
    text: async (tenantId, jobId) => readText(store, tenantId, found(await getText(db, tenantId, jobId))),
    history: async (tenantId, jobId, range) => {
      found(await getJob(db, tenantId, jobId));
      return getHistory(db, tenantId, { jobId, ...range });
    },
  };
}

async function readResult(sources: JobSources, tenantId: string, query: ResultQuery): Promise<ResultBody> {
  const { db, store, render } = sources;
  const { jobId, offsets } = query;
  const result = found(await getResult(db, tenantId, jobId));
  if (!isSettled(result.state)) throw notReady(result);
  const refs = Object.values(result.resultRefs);
  const hasResults = refs.length > 0 || Object.keys(result.results).length > 0;
  const jobText = offsets === 'utf-16' && hasResults ? found(await getText(db, tenantId, jobId)) : null;
  const bytes = refs.reduce((sum, ref) => sum + ref.bytes, jobText?.textRef?.bytes ?? jobText?.text?.length ?? 0);
  const read = async (): Promise<StoredResults> => {
    const text = jobText && (await readTextOfOffsets(store, tenantId, jobText));
    return { results: await readResults(store, tenantId, result), text };
  };
  const outcome = await render({ bytes, read });
  if ('unreadable' in outcome) throw unreadableResult(outcome.unreadable);
  return resultBody(result, offsets, outcome.rendered);
}

function found<T>(value: T | null): T {
  if (value === null) throw jobNotFound();
  return value;
}

/** The page; a cursor that is none of ours becomes the problem INVALID_REQUEST. */
export async function explainCursor<T>(page: Promise<T>): Promise<T> {
  try {
    return await page;
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
