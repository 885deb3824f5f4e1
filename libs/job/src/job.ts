import type { Outcome } from './outcome.js';
import type { JobState, SettledState } from './transitions.js';

/** One analysis of a job. */
export interface JobAnalysis {
  /** The newest run that was asked for, from 1. */
  readonly wantedRun: number;
  /** The outcome in effect; null while the analysis is outstanding. */
  readonly effective: Outcome | null;
}

/** A job, as it follows from its history. */
export interface Job {
  readonly id: string;
  readonly revision: number;
  readonly state: JobState;
  /** Why the state is what it is; null when the state says it all. */
  readonly reason: string | null;
  /** The revision that took this one's place. */
  readonly supersededBy: number | null;
  /** When outstanding analyses count as late, in epoch milliseconds. */
  readonly deadlineAt: number;
  /** The requested analyses: the set is fixed when the job is accepted. */
  readonly analyses: Readonly<Record<string, JobAnalysis>>;
  /** Number of the last settlement; 0 before the first. */
  readonly resultVersion: number;
  /** Number of the last event of the history. */
  readonly sequence: number;
}

/** Something that happened outside, of which the job has to be told. */
export type Fact =
  | { type: 'accepted'; jobId: string; revision: number; requestedAnalyses: readonly string[]; deadlineAt: number }
  /** The document stands on `document.ingested`, so that the analyses can see it. */
  | { type: 'opened' }
  /** Several outcomes told at once lead to at most one settlement. Each outcome id is told once: the store sees to it. */
  | { type: 'outcomesRecorded'; outcomes: readonly Outcome[]; latestRevision?: number | null }
  | { type: 'newerRevisionOpened'; revision: number }
  /** The outstanding analyses are late. */
  | { type: 'deadlinePassed' }
  | { type: 'cancelled'; reason: string }
  /** The document cannot be processed; the reason says why, and the fix. */
  | { type: 'rejected'; reason: string }
  /** Somebody asked for one more run of an analysis. `expectedRun` is the newest run that they knew of. */
  | { type: 'runRequested'; analysis: string; expectedRun: number };

/** A step of the job's history: immutable, numbered per job. */
export type JobEvent =
  | { type: 'accepted'; jobId: string; revision: number; requestedAnalyses: readonly string[]; deadlineAt: number }
  | { type: 'analysing' }
  | { type: 'outcome-recorded'; outcome: Outcome }
  | { type: 'run-requested'; analysis: string; run: number }
  | { type: 'review-requested'; reason: string }
  | {
      type: 'settled';
      state: SettledState;
      reason: string | null;
      supersededBy: number | null;
      /** Rises by one with each settlement, from 1. */
      resultVersion: number;
      /** Empty when the job has no outcome at all. */
      resultDigest: string;
      /** False only while an outcome is late: more may come without anybody asking. */
      final: boolean;
      /** The outcomes in effect. */
      outcomeIds: readonly string[];
    };

/** A settlement, as the history has it. */
export type Settled = Extract<JobEvent, { type: 'settled' }>;

/** The outcomes in effect, ordered by the analyses' names. */
export function effectiveOutcomes(job: Job): Outcome[] {
  const names = Object.keys(job.analyses).sort();
  return names.flatMap((name) => job.analyses[name]?.effective ?? []);
}

/** The requested analyses that have no outcome yet, by name. */
export function outstandingAnalyses(job: Job): string[] {
  const names = Object.keys(job.analyses).sort();
  return names.filter((name) => !job.analyses[name]?.effective);
}

/** The newest run of an analysis that was asked for; null when the job does not have the analysis. */
export function wantedRunOf(job: Job, analysis: string): number | null {
  return Object.hasOwn(job.analyses, analysis) ? (job.analyses[analysis]?.wantedRun ?? null) : null;
}
