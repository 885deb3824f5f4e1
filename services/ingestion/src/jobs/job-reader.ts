// Reads jobs for one tenant. A job of another tenant is answered as one that does not exist.
import type { ContentRef } from '@anabranch/contracts';
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
  type JobText,
  type JobView,
} from '@anabranch/database/jobs';
import { PoisonMessage } from '@anabranch/failures';
import { isSettled } from '@anabranch/job';
import type { ObjectStore } from '@anabranch/object-store';
import { cleanText } from '@anabranch/text';
import { Problem } from '../http/problem.js';

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
      const fetched = await fetchResults(store, tenantId, resultRefs);
      return { ...result, results: { ...results, ...fetched } };
    },
    text: async (tenantId, jobId) => textOf(store, tenantId, found(await getText(db, tenantId, jobId))),
    history: async (tenantId, jobId, range) => {
      found(await getJob(db, tenantId, jobId));
      return getHistory(db, tenantId, { jobId, ...range });
    },
  };
}

function found<T>(value: T | null): T {
  if (value === null) {
    throw new Problem('JOB_NOT_FOUND', 'There is no job of this id among yours. GET /v1/jobs lists those there are.');
  }
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

async function fetchResults(store: ObjectStore, tenantId: string, refs: Record<string, ContentRef>) {
  const entries = Object.entries(refs).map(async ([analysis, ref]) => {
    const bytes = await fetchContent(store, { ref, tenantId, what: `result of ${analysis}` });
    return [analysis, parseResult(bytes, analysis)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

async function textOf(store: ObjectStore, tenantId: string, { text, textRef }: JobText): Promise<string> {
  if (textRef === null) return text ?? '';
  // A claim check that came through Kafka may hold text that nobody has cleaned.
  return cleanText((await fetchContent(store, { ref: textRef, tenantId, what: 'text' })).toString('utf8'));
}

interface Wanted {
  ref: ContentRef;
  tenantId: string;
  /** For the caller, such as `text`. */
  what: string;
}

async function fetchContent(store: ObjectStore, { ref, tenantId, what }: Wanted): Promise<Buffer> {
  try {
    return await store.get(ref, tenantId);
  } catch (error) {
    if (!(error instanceof PoisonMessage)) throw error;
    throw unreadable(what, error.code, error);
  }
}

/** Whoever publishes results writes their objects: what is in them is not known to be JSON. */
function parseResult(bytes: Buffer, analysis: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    // The engine's message is not passed on: it quotes the result.
    throw unreadable(`result of ${analysis}`, 'CONTENT_MISMATCH');
  }
}

function unreadable(what: string, reason: string, cause?: unknown): Problem {
  const matter = reason === 'CONTENT_MISSING' ? 'is not in the object store' : 'differs from what was announced';
  return new Problem(
    'CONTENT_UNREADABLE',
    `The ${what} ${matter}. Have the object restored if it was lost, or send the document again.`,
    { extensions: { reason, content: what }, cause },
  );
}
