// Changes jobs for one tenant. A job of another tenant is answered as one that does not exist.
import type { Database } from '@anabranch/database';
import {
  cancelJob,
  requestRun,
  type CancelRequest,
  type JobView,
  type RunAnswer,
  type RunRequest,
} from '@anabranch/database/jobs';
import { Problem } from '../http/problem.js';
import { jobNotFound } from './job-not-found.js';

/** What a client may ask of a job. Every method throws a Problem, or DependencyUnavailable. */
export interface JobCommands {
  /** The cancelled job. */
  cancel(request: CancelRequest): Promise<JobView>;
  /** The number of the run that was allocated. */
  requestRun(request: RunRequest): Promise<number>;
}

export function createJobCommands(db: Database): JobCommands {
  return {
    cancel: async (request) => {
      const answer = await cancelJob(db, request);
      if (answer === null) throw jobNotFound();
      if (answer.kind === 'cancelled') return answer.job;
      const { state } = answer.job;
      throw new Problem('JOB_SETTLED', `The job is ${state} already, so there is nothing to cancel.`, {
        extensions: { state },
      });
    },
    requestRun: async (request) => {
      const answer = await requestRun(db, request);
      if (answer === null) throw jobNotFound();
      if (answer.kind === 'requested') return answer.run;
      throw refusedRun(request, answer);
    },
  };
}

function refusedRun({ analysis, jobId }: RunRequest, answer: Exclude<RunAnswer, { kind: 'requested' }>): Problem {
  switch (answer.kind) {
    case 'moved': {
      const { wantedRun } = answer;
      const detail = `The newest run of ${analysis} is ${wantedRun}. Look at /v1/jobs/${jobId}, and ask with expectedRun ${wantedRun} if one more is still wanted.`;
      return new Problem('RUN_MOVED', detail, { extensions: { wantedRun } });
    }
    case 'closed': {
      const { state } = answer;
      return new Problem('JOB_SETTLED', `The job is ${state}: no outcome of a further run would count.`, {
        extensions: { state },
      });
    }
    case 'unknown-analysis': {
      const { analyses } = answer;
      const detail = `The job has no such analysis, only ${analyses.join(', ')}. Post the document again to have others.`;
      return new Problem('ANALYSIS_NOT_FOUND', detail, { extensions: { analyses } });
    }
  }
}
