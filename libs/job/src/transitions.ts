/** The states of a job (architecture §5). */
export const jobStates = [
  'accepted',
  'analysing',
  'awaiting_review',
  'rejected',
  'partial',
  'complete',
  'released',
  'withheld',
  'cancelled',
  'superseded',
] as const;

export type JobState = (typeof jobStates)[number];

/**
 * Where a job may go from each state. This table is the only place that knows; `evolve` refuses every other move.
 * A state that lists itself is settled and may be settled again, as a numbered upgrade (semantics §3).
 */
export const transitions: Readonly<Record<JobState, readonly JobState[]>> = {
  accepted: ['rejected', 'analysing', 'cancelled', 'superseded'],
  analysing: ['complete', 'partial', 'awaiting_review', 'cancelled', 'superseded'],
  awaiting_review: ['released', 'withheld', 'cancelled', 'superseded'],
  partial: ['partial', 'complete', 'awaiting_review'],
  complete: ['complete', 'awaiting_review'],
  released: ['awaiting_review'],
  rejected: [],
  withheld: [],
  cancelled: [],
  superseded: [],
};

/** States in which somebody still waits for the job. Everything else is settled. */
export const unsettledStates = ['accepted', 'analysing', 'awaiting_review'] as const satisfies readonly JobState[];

/** The settled states, as they stand in `document.enriched`. */
export type SettledState = Exclude<JobState, (typeof unsettledStates)[number]>;

/** States whose results may be shown to everybody: the others carry statuses only. */
export const publishedStates = ['partial', 'complete', 'released'] as const satisfies readonly SettledState[];

/** Whether the job has ended in a state that says what happened. */
export function isSettled(state: JobState): state is SettledState {
  return !(unsettledStates as readonly JobState[]).includes(state);
}

/** Whether the results of a job in this state may be published (semantics §3). */
export function isPublished(state: JobState): boolean {
  return (publishedStates as readonly JobState[]).includes(state);
}

/** Whether the table allows the move. `null` is the job before it was accepted. */
export function mayMove(from: JobState | null, to: JobState): boolean {
  return from === null ? to === 'accepted' : transitions[from].includes(to);
}
