// GET /v1/jobs/{id}/why: every state explained.
import { jobIdOf } from '@anabranch/contracts';
import type { Database } from '@anabranch/database';
import { getReasons, type JobReasons } from '@anabranch/database/jobs';
import type { z } from 'zod';
import { jobPath } from '../jobs/job-json.js';
import { jobNotFound } from '../jobs/job-not-found.js';
import type { whySchema } from './why-schema.js';
import type { Consumption, ReadConsumption } from './consumption.js';
import { becauseOfJob, becauseOfRun, becauseUncounted, isWaiting, type Known } from './reasons.js';

export type Why = z.infer<typeof whySchema>;

/** Says why a job of the tenant is as it is. Throws the problem JOB_NOT_FOUND, or DependencyUnavailable. */
export type ExplainJob = (tenantId: string, jobId: string) => Promise<Why>;

export interface ExplainOptions {
  db: Database;
  consumption: ReadConsumption;
  maxOutstanding: number;
}

export function createExplainJob({ db, consumption, maxOutstanding }: ExplainOptions): ExplainJob {
  return async (tenantId, jobId) => {
    const reasons = await getReasons(db, tenantId, jobId);
    if (reasons === null) throw jobNotFound();
    const known = { reasons, maxOutstanding, consumption: await consumptionOf(reasons, consumption) };
    return whyOf(known, tenantId);
  };
}

/** Asked only where it could be the reason. */
async function consumptionOf(reasons: JobReasons, read: ReadConsumption): Promise<Map<string, Consumption | null>> {
  if (!isWaiting(reasons)) return new Map();
  const { documentId } = reasons.job;
  const asked = Object.entries(reasons.outstanding).filter(([, { deferral }]) => deferral === null);
  return new Map(
    await Promise.all(
      asked.map(async ([analysis, { command }]) => {
        return [analysis, await read({ analysis, documentId, isCommanded: command !== null })] as const;
      }),
    ),
  );
}

function whyOf(known: Known, tenantId: string): Why {
  const { job, result, outstanding, now } = known.reasons;
  const analyses = Object.entries(result.receipt.analyses).map(([analysis, entry]) => {
    const { outcome, run, ...rest } = entry;
    const { code, message, finishedAt } = { code: undefined, message: undefined, finishedAt: undefined, ...rest };
    const open = outstanding[analysis];
    const line = {
      outcome,
      run,
      ...(code !== undefined && { code }),
      ...(message !== undefined && { message }),
      ...(finishedAt !== undefined && { finishedAt }),
      ...(open && { awaitedRun: open.run, because: becauseOfRun(analysis, open, known) }),
      ...(!open && outcome === 'waiting' && !isWaiting(known.reasons) && { because: becauseUncounted(known.reasons) }),
    };
    return [analysis, line] as const;
  });
  return {
    jobId: job.id,
    state: job.state,
    because: becauseOfJob(known),
    analyses: Object.fromEntries(analyses),
    asOf: now.toISOString(),
    links: { job: jobPath(job.id), ...newerJob(job, tenantId) },
  };
}

function newerJob({ supersededBy, documentId }: JobReasons['job'], tenantId: string): { supersededBy?: string } {
  if (supersededBy === null) return {};
  return { supersededBy: jobPath(jobIdOf({ tenantId, documentId, revision: supersededBy })) };
}
