import type { Job, JobEvent } from './job.js';
import { takesEffect, type Outcome } from './outcome.js';
import { mayMove, type JobState } from './transitions.js';

/**
 * The job after one step of its history. Folding a whole history from `null` rebuilds the job. Throws an Error for a step
 * that the transition table does not allow: that is a bug, never a matter of input.
 */
export function evolve(job: Job | null, event: JobEvent): Job {
  if (event.type === 'accepted') return accept(job, event);
  if (job === null) throw new Error(`The history of a job cannot begin with ${event.type}.`);
  const next = { ...job, sequence: job.sequence + 1 };
  switch (event.type) {
    case 'analysing':
      return move(next, 'analysing');
    case 'outcome-recorded':
      return withOutcome(next, event.outcome);
    case 'run-requested':
      return withWantedRun(next, event);
    case 'review-requested':
      return { ...move(next, 'awaiting_review'), reason: event.reason };
    case 'settled': {
      const { state, reason, supersededBy, resultVersion } = event;
      if (resultVersion !== job.resultVersion + 1) throw new Error(`Settlement ${resultVersion} is out of turn.`);
      return { ...move(next, state), reason, supersededBy, resultVersion };
    }
  }
}

function accept(job: Job | null, event: Extract<JobEvent, { type: 'accepted' }>): Job {
  if (job !== null) throw new Error('A job is accepted once.');
  const analyses = event.requestedAnalyses.map((name) => [name, { wantedRun: 1, effective: null }] as const);
  return {
    id: event.jobId,
    revision: event.revision,
    state: 'accepted',
    reason: null,
    supersededBy: null,
    deadlineAt: event.deadlineAt,
    analyses: Object.fromEntries(analyses),
    resultVersion: 0,
    sequence: 1,
  };
}

function move(job: Job, state: JobState): Job {
  if (!mayMove(job.state, state)) throw new Error(`A job that is ${job.state} cannot become ${state}.`);
  return { ...job, state };
}

/** An outcome of an analysis that was not requested is part of the history, and of nothing else. */
function withOutcome(job: Job, outcome: Outcome): Job {
  const analysis = Object.hasOwn(job.analyses, outcome.analysis) ? job.analyses[outcome.analysis] : undefined;
  if (!analysis || !takesEffect(outcome, analysis.effective)) return job;
  return { ...job, analyses: { ...job.analyses, [outcome.analysis]: { ...analysis, effective: outcome } } };
}

function withWantedRun(job: Job, { analysis, run }: Extract<JobEvent, { type: 'run-requested' }>): Job {
  const known = Object.hasOwn(job.analyses, analysis) ? job.analyses[analysis] : undefined;
  if (known === undefined || run !== known.wantedRun + 1) throw new Error(`Run ${run} of ${analysis} is out of turn.`);
  return { ...job, analyses: { ...job.analyses, [analysis]: { ...known, wantedRun: run } } };
}
