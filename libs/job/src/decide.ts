import { outcomeIdOf } from '@anabranch/contracts';
import { outcomeDigest, resultDigest } from './digest.js';
import { evolve } from './evolve.js';
import {
  effectiveOutcomes,
  outstandingAnalyses,
  wantedRunOf,
  type Fact,
  type Job,
  type JobEvent,
  type Settled,
} from './job.js';
import { compareOutcomes, type Outcome } from './outcome.js';
import { isPublished, isSettled, mayMove, type SettledState } from './transitions.js';

/**
 * What follows from a fact, given the job as it is. Pure: it asks nothing and changes nothing. A fact that says nothing
 * new gives no events, so facts may be told twice. An outcome whose job was not accepted yet waits in the store.
 */
export function decide(job: Job | null, fact: Fact): JobEvent[] {
  if (fact.type === 'accepted') return job === null ? [{ ...fact, requestedAnalyses: sortedSet(fact) }] : [];
  return job === null ? [] : decideFor(job, fact);
}

function decideFor(job: Job, fact: Exclude<Fact, { type: 'accepted' }>): JobEvent[] {
  switch (fact.type) {
    case 'opened':
      return job.state === 'accepted' ? [{ type: 'analysing' }] : [];
    case 'outcomesRecorded':
      return recordOutcomes(job, fact.outcomes, fact.latestRevision);
    case 'deadlinePassed':
      return isSettled(job.state) ? [] : recordOutcomes(job, lateOutcomes(job));
    case 'newerRevisionOpened':
      return isSettled(job.state) ? [] : [supersede(job, fact.revision)];
    case 'cancelled':
      return isSettled(job.state) ? [] : [settle(job, 'cancelled', { reason: fact.reason })];
    case 'rejected':
      return mayMove(job.state, 'rejected') ? [settle(job, 'rejected', { reason: fact.reason })] : [];
    case 'runRequested':
      return requestRun(job, fact);
  }
}

/** A run is allocated once, and only where its outcome could still count. */
function requestRun(job: Job, { analysis, expectedRun }: Extract<Fact, { type: 'runRequested' }>): JobEvent[] {
  const wantedRun = wantedRunOf(job, analysis);
  if (wantedRun === null || wantedRun !== expectedRun || !mayRunAgain(job)) return [];
  return [{ type: 'run-requested', analysis, run: wantedRun + 1 }];
}

/** Whether an outcome of a further run could change the job: not once it was withdrawn or overtaken. */
export function mayRunAgain({ state }: Pick<Job, 'state'>): boolean {
  return !isSettled(state) || isPublished(state);
}

/** Outcomes are recorded in every state; they move the job only where the table lets them. */
function recordOutcomes(job: Job, outcomes: readonly Outcome[], latestRevision: number | null = null): JobEvent[] {
  if (outcomes.length === 0) return [];
  // In an order of their own, so that the history does not depend on the order of what waited.
  const ordered = outcomes.toSorted((a, b) => a.analysis.localeCompare(b.analysis, 'en') || compareOutcomes(a, b));
  const events: JobEvent[] = ordered.map((outcome) => ({ type: 'outcome-recorded', outcome }));
  // An outcome proves that the document is being analysed, although `document.ingested` was not read back yet.
  if (job.state === 'accepted') events.unshift({ type: 'analysing' });
  const after = events.reduce<Job>(evolve, job);
  if (!isSettled(after.state) && ordered.some((outcome) => isOvertaken(job, outcome)))
    return [...events, overtake(after, latestRevision)];
  return [...events, ...settlementAfter(job, after)];
}

/** The gate before money is spent has met a newer revision first: nothing more is bought for this one (semantics §7). */
const isOvertaken = ({ analyses }: Job, { analysis, status, code }: Outcome): boolean =>
  Object.hasOwn(analyses, analysis) && status === 'refused' && code === 'SUPERSEDED';
/** Which one it was may not be known yet: its outcomes can be faster than its opening. */
function overtake(job: Job, latestRevision: number | null): Settled {
  const supersededBy = latestRevision !== null && latestRevision > job.revision ? latestRevision : null;
  return settle(job, 'superseded', { reason: 'A newer revision of the document is analysed already.', supersededBy });
}

/** Complete is set equality: every requested analysis has an outcome, and each is done. */
function settlementAfter(before: Job, after: Job): JobEvent[] {
  if (outstandingAnalyses(after).length > 0) return [];
  const outcomes = effectiveOutcomes(after);
  if (isSettled(after.state) && sameOutcomes(effectiveOutcomes(before), outcomes)) return [];
  if (!mayMove(after.state, 'complete')) return reviewAgain(after);
  const open = outcomes.filter(({ status }) => status !== 'done');
  return [settle(after, open.length === 0 ? 'complete' : 'partial', { reason: reasonOf(open) })];
}

/** A released result that changed goes back to review; the released version stays the published one (semantics §10). */
function reviewAgain(job: Job): JobEvent[] {
  return job.state === 'released'
    ? [{ type: 'review-requested', reason: 'An outcome changed after the release.' }]
    : [];
}

function supersede(job: Job, revision: number): Settled {
  return settle(job, 'superseded', { reason: `Revision ${revision} took its place.`, supersededBy: revision });
}

interface Why {
  reason: string | null;
  supersededBy?: number | null;
}

function settle(job: Job, state: SettledState, { reason, supersededBy }: Why): Settled {
  const outcomes = effectiveOutcomes(job);
  return {
    type: 'settled',
    state,
    reason,
    supersededBy: supersededBy ?? null,
    resultVersion: job.resultVersion + 1,
    resultDigest: outcomes.length === 0 ? '' : resultDigest(job.revision, outcomes),
    final: outcomes.every(({ status }) => status !== 'late'),
    outcomeIds: outcomes.map(({ outcomeId }) => outcomeId),
  };
}

function lateOutcomes(job: Job): Outcome[] {
  return outstandingAnalyses(job).map((analysis) => {
    const run = job.analyses[analysis]?.wantedRun ?? 1;
    const content = { resultSchema: '', promptVersion: null, result: null, resultSha256: null };
    return {
      outcomeId: outcomeIdOf({ jobId: job.id, analysis, run, status: 'LATE' }),
      analysis,
      run,
      status: 'late',
      code: null,
      digest: outcomeDigest({ status: 'late', code: null, ...content }),
    };
  });
}

function reasonOf(notDone: readonly Outcome[]): string | null {
  if (notDone.length === 0) return null;
  return notDone.map(({ analysis, status, code }) => `${analysis}: ${code ? `${status}, ${code}` : status}`).join('; ');
}

function sameOutcomes(before: readonly Outcome[], after: readonly Outcome[]): boolean {
  return before.length === after.length && before.every(({ outcomeId }, at) => outcomeId === after[at]?.outcomeId);
}

function sortedSet({ requestedAnalyses }: { requestedAnalyses: readonly string[] }): string[] {
  return [...new Set(requestedAnalyses)].sort();
}
