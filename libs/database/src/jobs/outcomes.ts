import {
  checkContentRef,
  outcomeIdOf,
  type AnalysisFinished,
  type OutcomeStatus as AvroStatus,
} from '@anabranch/contracts';
import { PoisonMessage } from '@anabranch/failures';
import { outcomeDigest, type Outcome, type OutcomeStatus } from '@anabranch/job';
import type { Queryable } from '../database.js';

/** An outcome as it is stored: all that the receipt and the result need. */
export interface OutcomeRow {
  id: string;
  text_sha256: string;
  tenant_id: string;
  job_id: string;
  analysis: string;
  run: number;
  status: OutcomeStatus;
  code: string | null;
  digest: string;
  event_id: string;
  language: string | null;
  /** Null when nobody sent it: it is late. */
  engine: AnalysisFinished['engine'] | null;
  coverage: AnalysisFinished['coverage'];
  usage: AnalysisFinished['usage'];
  refusal: AnalysisFinished['outcome']['refusal'];
  failure: AnalysisFinished['outcome']['failure'];
  warnings: string[];
  result_schema: string;
  result: unknown;
  result_ref: AnalysisFinished['resultRef'];
  finished_at: string | null;
}

const statuses: Readonly<Partial<Record<AvroStatus, OutcomeStatus>>> = {
  DONE: 'done',
  REFUSED: 'refused',
  FAILED: 'failed',
  LATE: 'late',
};

/**
 * The row of an event. Its id is derived, not taken over: what an analysis calls its event decides nothing.
 * @throws PoisonMessage INVALID_EVENT when the status, run or time is none, a result that is done is not there, its claim
 *   check is none of the tenant's, or a text that was read is not named
 */
export function outcomeRow(analysis: string, resultSchema: string, event: AnalysisFinished): OutcomeRow {
  const { jobId, run, outcome, engine, resultRef } = event;
  const status = statuses[outcome.status];
  if (status === undefined) throw new PoisonMessage('INVALID_EVENT', 'outcome.status is none that this version knows.');
  if (run < 1) throw new PoisonMessage('INVALID_EVENT', 'run must be at least 1.');
  checkContent(event);
  const code = outcome.refusal?.code ?? outcome.failure?.code ?? null;
  const { promptVersion } = engine;
  const content = { status, code, resultSchema, promptVersion, result: outcome.result };
  return {
    id: outcomeIdOf({ jobId, analysis, run, status: outcome.status }),
    text_sha256: event.textSha256,
    tenant_id: event.tenantId,
    job_id: jobId,
    analysis,
    run,
    status,
    code,
    digest: outcomeDigest({ ...content, resultSha256: resultRef?.sha256 ?? null }),
    event_id: event.eventId,
    language: event.language,
    engine,
    coverage: event.coverage,
    usage: event.usage,
    refusal: outcome.refusal,
    failure: outcome.failure,
    warnings: event.warnings,
    result_schema: resultSchema,
    result: outcome.result,
    result_ref: resultRef,
    finished_at: timeOf(event.occurredAt),
  };
}

/** Only a failure may leave the text's digest out: whoever has a result, or a reason to refuse, has read the text. */
function checkContent({ outcome, resultRef, textSha256, tenantId }: AnalysisFinished): void {
  if (textSha256 === '' && outcome.status !== 'FAILED') {
    throw new PoisonMessage('INVALID_EVENT', 'textSha256 may be empty only when outcome.status is FAILED.');
  }
  if (outcome.status === 'DONE' && outcome.result === null && resultRef === null) {
    throw new PoisonMessage('INVALID_EVENT', 'outcome.result or resultRef must be given when outcome.status is DONE.');
  }
  if (resultRef !== null) checkContentRef('resultRef', resultRef, tenantId);
}

function timeOf(occurredAt: number): string {
  const time = new Date(occurredAt);
  if (Number.isNaN(time.getTime()))
    throw new PoisonMessage('INVALID_EVENT', 'occurredAt is no moment that a date can name.');
  return time.toISOString();
}

/**
 * Whether an outcome is about the job's text. An analysis that could not read a claim check does not know the text's
 * digest, and a job whose text cannot be read has none: then there is nothing to compare, and the outcome counts.
 */
export function isAboutText(jobSha256: string, outcomeSha256: string): boolean {
  return jobSha256 === outcomeSha256 || jobSha256 === '' || outcomeSha256 === '';
}

/** What the job needs to know of it. */
export function outcomeOf({ id, analysis, run, status, code, digest }: OutcomeRow): Outcome {
  return { outcomeId: id, analysis, run, status, code, digest };
}

/**
 * Stores outcomes; the first of an id and a text stays. An outcome of a known job must carry the job's own digest, so that
 * its id is stored once. Returns the ids that are new.
 */
export async function insertOutcomes(tx: Queryable, rows: readonly OutcomeRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const added = await tx.query<{ id: string }>(
    `INSERT INTO outcome (id, text_sha256, tenant_id, job_id, analysis, run, status, code, digest, event_id, language,
                          engine, coverage, usage, refusal, failure, warnings, result_schema, result, result_ref, finished_at)
     SELECT id, text_sha256, tenant_id, job_id, analysis, run, status, code, digest, event_id, language,
            engine, coverage, usage, refusal, failure, warnings, result_schema, result, result_ref, finished_at
     FROM jsonb_to_recordset($1) AS o(
       id uuid, text_sha256 text, tenant_id text, job_id uuid, analysis text, run integer, status text, code text,
       digest text, event_id text, language text, engine jsonb, coverage jsonb, usage jsonb, refusal jsonb,
       failure jsonb, warnings jsonb, result_schema text, result jsonb, result_ref jsonb, finished_at timestamptz)
     ON CONFLICT DO NOTHING
     RETURNING id`,
    [JSON.stringify(rows)],
  );
  return new Set(added.map(({ id }) => id));
}
