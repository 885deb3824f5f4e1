/** How an analysis ended, in the order of semantics §4: within one run, an earlier one beats a later one. */
export const outcomeStatuses = ['done', 'refused', 'failed', 'late'] as const;

export type OutcomeStatus = (typeof outcomeStatuses)[number];

/** What a job needs to know of an outcome; the result itself stays in the store. */
export interface Outcome {
  /** UUIDv5 of job, analysis, run and status: the same outcome always has the same id. */
  readonly outcomeId: string;
  readonly analysis: string;
  /** Rises with each re-run of the analysis for this job, from 1. */
  readonly run: number;
  readonly status: OutcomeStatus;
  /** Code of the refusal or failure; null when done. */
  readonly code: string | null;
  /** What the outcome says, as a digest: see `outcomeDigest`. */
  readonly digest: string;
}

/**
 * Whether `challenger` takes effect instead of `holder`: the highest run that is done, else the highest run; within a run
 * done beats refused beats failed beats late (semantics §4). It is a total order, so the order of arrival is irrelevant.
 */
export function takesEffect(challenger: Outcome, holder: Outcome | null): boolean {
  return holder === null || compareOutcomes(challenger, holder) > 0;
}

/** Sorts outcomes of one analysis from the weakest to the one in effect. */
export function compareOutcomes(a: Outcome, b: Outcome): number {
  const byDone = Number(a.status === 'done') - Number(b.status === 'done');
  return byDone || a.run - b.run || outcomeStatuses.indexOf(b.status) - outcomeStatuses.indexOf(a.status);
}
