import type { JobState, OutcomeStatus } from '@anabranch/job';
import type { JobRecord } from './batch.js';

/** A job, as everybody outside sees it. Times are ISO 8601 in UTC. */
export interface JobView {
  id: string;
  documentId: string;
  revision: number;
  state: JobState;
  /** Why the state is what it is; null when the state says it all. */
  reason: string | null;
  supersededBy: number | null;
  createdAt: string;
  updatedAt: string;
  /** When outstanding analyses count as late. */
  deadlineAt: string;
  /** Each requested analysis with its outcome, or `waiting`. */
  analyses: Record<string, OutcomeStatus | 'waiting'>;
  /** The newest run of each analysis that was asked for: the `expectedRun` of whoever asks for one more. */
  runs: Record<string, number>;
  /** Number of the last settlement; 0 before the first. */
  resultVersion: number;
  /** Number of the last event of the history. */
  sequence: number;
  /** By analysis, the runs that wait for somebody else, such as the provider of a model. Left out where none does, and in lists. */
  waits?: Record<string, Wait>;
}

/** Why a run waits, and until when at least. */
export type Wait = {
  /** A code of `libs/failures`. */
  reason: string;
  /** ISO 8601 in UTC. */
  until: string;
};

type Times = 'createdAt' | 'updatedAt' | 'deadlineAt';
type Viewed = Omit<JobView, Times | 'analyses' | 'runs' | 'waits'> & Record<Times, Date | number>;
type ViewedAnalysis = { analysis: string; wantedRun: number; status: OutcomeStatus | null };

/** The one place where a job becomes its view, whether it was read or has just been written. */
export function jobView(job: Viewed, analyses: readonly ViewedAnalysis[]): JobView {
  const sorted = analyses.toSorted((a, b) => (a.analysis < b.analysis ? -1 : 1));
  return {
    id: job.id,
    documentId: job.documentId,
    revision: job.revision,
    state: job.state,
    reason: job.reason,
    supersededBy: job.supersededBy,
    createdAt: new Date(job.createdAt).toISOString(),
    updatedAt: new Date(job.updatedAt).toISOString(),
    deadlineAt: new Date(job.deadlineAt).toISOString(),
    analyses: Object.fromEntries(sorted.map(({ analysis, status }) => [analysis, status ?? 'waiting'])),
    runs: Object.fromEntries(sorted.map(({ analysis, wantedRun }) => [analysis, wantedRun])),
    resultVersion: job.resultVersion,
    sequence: job.sequence,
  };
}

/** The view of a job that was just written, or locked. */
export function viewOfRecord({ job, documentId, createdAt, updatedAt }: JobRecord): JobView {
  const analyses = Object.entries(job.analyses).map(([analysis, { wantedRun, effective }]) => {
    return { analysis, wantedRun, status: effective?.status ?? null };
  });
  return jobView({ ...job, documentId, createdAt, updatedAt }, analyses);
}
