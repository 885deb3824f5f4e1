// Lists of states as SQL writes them. Which states these are is libs/job's to know.
import { isPublished, isSettled, jobStates, publishedStates, unsettledStates, type JobState } from '@anabranch/job';

const listOf = (states: readonly JobState[]): string => `(${states.map((state) => `'${state}'`).join(', ')})`;

/** Somebody still waits for the job. */
export const unsettled = listOf(unsettledStates);

/** Work is still being done for the job: one in review waits for people. */
export const underWay = listOf(unsettledStates.filter((state) => state !== 'awaiting_review'));

/** The job's results may be shown. */
export const published = listOf(publishedStates);

/** The job was withdrawn or overtaken: no further outcome counts. */
export const closed = listOf(jobStates.filter((state) => isSettled(state) && !isPublished(state)));
