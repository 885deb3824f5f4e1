import type { ContentRef } from '@anabranch/contracts';
import { isPublished, receiptOf, type JobState, type OutcomeDetails, type Receipt } from '@anabranch/job';
import { In, type EntityManager } from 'typeorm';
import type { Database } from '../database.js';
import { JobAnalysisEntity, JobEntity, OutcomeEntity, SettlementEntity } from './entities.js';
import { isUuid } from './read-jobs.js';

/** A job's result (architecture §9): what was settled last, or how far the job is. */
export interface JobResult {
  jobId: string;
  documentId: string;
  revision: number;
  state: JobState;
  reason: string | null;
  supersededBy: number | null;
  /** Number of the settlement that this shows; 0 while the job is not settled. */
  resultVersion: number;
  resultDigest: string | null;
  /** Whether nothing more comes unless somebody asks; false while the job is not settled. */
  final: boolean;
  receipt: Receipt;
  /** By analysis, in order of their names, as they are stored; empty where the state does not let results be published. */
  results: Record<string, unknown>;
  /** Results that are claim checks: their content belongs into `results`. */
  resultRefs: Record<string, ContentRef>;
}

/** The result, or null when this tenant has no such job. */
export async function getResult(db: Database, tenantId: string, jobId: string): Promise<JobResult | null> {
  if (!isUuid(jobId)) return null;
  // One snapshot: a settlement must not fall between the reading of the job and of its outcomes.
  return db.readAs(tenantId, (reader) => readResult(reader, tenantId, jobId));
}

async function readResult(reader: EntityManager, tenantId: string, jobId: string): Promise<JobResult | null> {
  const job = await reader.findOneBy(JobEntity, { id: jobId, tenantId });
  return job && resultOfJob(reader, job);
}

/** The result of a job that was read in the same snapshot. */
export async function resultOfJob(reader: EntityManager, job: JobEntity): Promise<JobResult> {
  const jobId = job.id;
  const analyses = await reader.findBy(JobAnalysisEntity, { jobId });
  const settlement = await reader.findOneBy(SettlementEntity, { jobId, resultVersion: job.resultVersion });
  const ids = settlement?.outcomeIds ?? analyses.flatMap(({ effectiveOutcomeId }) => effectiveOutcomeId ?? []);
  const outcomes = await reader.findBy(OutcomeEntity, { id: In(ids), jobId });
  return resultOf({ job, analyses, settlement, outcomes });
}

interface Stored {
  job: JobEntity;
  analyses: JobAnalysisEntity[];
  settlement: SettlementEntity | null;
  outcomes: OutcomeEntity[];
}

function resultOf({ job, analyses, settlement, outcomes }: Stored): JobResult {
  const done = isPublished(job.state) ? outcomes.filter(({ status }) => status === 'done') : [];
  const published = done.toSorted((a, b) => (a.analysis < b.analysis ? -1 : 1));
  const byAnalysis = new Map(outcomes.map((outcome) => [outcome.analysis, outcome]));
  const lines = analyses.map(({ analysis, wantedRun }) => {
    return [analysis, { wantedRun, outcome: detailsOf(byAnalysis.get(analysis)) }] as const;
  });
  return {
    jobId: job.id,
    documentId: job.documentId,
    revision: job.revision,
    state: job.state,
    reason: job.reason,
    supersededBy: job.supersededBy,
    resultVersion: job.resultVersion,
    resultDigest: settlement?.resultDigest || null,
    final: settlement?.final ?? false,
    receipt: receiptOf(Object.fromEntries(lines)),
    results: Object.fromEntries(
      published.flatMap(({ analysis, result }) => (result === null ? [] : [[analysis, result]])),
    ),
    resultRefs: Object.fromEntries(
      published.flatMap(({ analysis, resultRef: ref }) => (ref === null ? [] : [[analysis, ref]])),
    ),
  };
}

function detailsOf(outcome: OutcomeEntity | undefined): OutcomeDetails | null {
  if (outcome === undefined) return null;
  const { run, status, engine, coverage, usage, language, warnings, refusal, failure, finishedAt } = outcome;
  const details = { run, status, engine, coverage, usage, language, warnings, refusal, failure };
  return { ...details, finishedAt: finishedAt?.getTime() ?? null };
}
