import type { JobState, OutcomeStatus } from '@anabranch/job';

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
  /** Number of the last settlement; 0 before the first. */
  resultVersion: number;
  /** Number of the last event of the history. */
  sequence: number;
}

interface Viewed {
  id: string;
  documentId: string;
  revision: number;
  state: JobState;
  reason: string | null;
  supersededBy: number | null;
  createdAt: Date | number;
  updatedAt: Date | number;
  deadlineAt: Date | number;
  resultVersion: number;
  sequence: number;
}

type ViewedAnalysis = { analysis: string; status: OutcomeStatus | null };

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
    resultVersion: job.resultVersion,
    sequence: job.sequence,
  };
}
