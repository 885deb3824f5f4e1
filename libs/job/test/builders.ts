import { jobIdOf, outcomeIdOf } from '@anabranch/contracts';
import {
  decide,
  evolve,
  outcomeDigest,
  type Fact,
  type Job,
  type JobEvent,
  type Outcome,
  type OutcomeStatus,
} from '../src/index.js';

export const key = { tenantId: 'acme', documentId: 'contract-7' };

const codes: Record<OutcomeStatus, string | null> = {
  done: null,
  refused: 'UNSUPPORTED_LANGUAGE',
  failed: 'RETRIES_EXHAUSTED',
  late: null,
};

/** An outcome of the document `key`, with the ids and digests that it would really have. */
export function outcomeOf(analysis: string, status: OutcomeStatus = 'done', run = 1, revision = 1): Outcome {
  const jobId = jobIdOf({ ...key, revision });
  const avroStatus = status.toUpperCase() as Uppercase<OutcomeStatus>;
  const code = codes[status];
  const content = { resultSchema: `${analysis}/v1`, promptVersion: null, result: { run }, resultSha256: null };
  return {
    outcomeId: outcomeIdOf({ jobId, analysis, run, status: avroStatus }),
    analysis,
    run,
    status,
    code,
    digest: outcomeDigest({ status, code, ...content }),
  };
}

export const accepted = (requestedAnalyses: string[], revision = 1): Fact => ({
  type: 'accepted',
  jobId: jobIdOf({ ...key, revision }),
  revision,
  requestedAnalyses,
  deadlineAt: 60_000,
});

export const recorded = (...outcomes: Outcome[]): Fact => ({ type: 'outcomesRecorded', outcomes });

/** Tells the facts one after the other. */
export function tell(facts: readonly Fact[], from: Job | null = null): { job: Job; events: JobEvent[] } {
  let job = from;
  const events: JobEvent[] = [];
  for (const fact of facts) {
    const next = decide(job, fact);
    job = next.reduce<Job | null>(evolve, job);
    events.push(...next);
  }
  if (job === null) throw new Error('None of the facts accepts the job.');
  return { job, events };
}
