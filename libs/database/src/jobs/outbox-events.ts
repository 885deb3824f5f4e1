import {
  renderResult,
  type AnalysisOutcome,
  type AnalysisRequested,
  type DocumentEnriched,
  type DocumentIngested,
} from '@anabranch/contracts';
import { isPublished, type JobState, type OutcomeStatus } from '@anabranch/job';
import type { Queryable, Row } from '../database.js';
import { fitEnriched } from './fit-enriched.js';
import type { OutcomeRow } from './outcomes.js';

/** An event that was rendered from immutable rows: the same rows always give the same event. */
export interface RenderedEvent<E> {
  event: E;
  /** The trace of what caused the job; null when it had none. */
  traceparent: string | null;
}

interface IngestedRow extends Row {
  event: Omit<DocumentIngested, 'requestedAnalyses' | 'revision' | 'deadlineMs' | 'occurredAt'>;
  revision: string;
  deadline_ms: string;
  occurred_at: Date;
  traceparent: string | null;
  analyses: string[];
}

/** The `document.ingested` of each job, by job id. */
export async function readIngestedEvents(
  db: Queryable,
  jobIds: readonly string[],
): Promise<Map<string, RenderedEvent<DocumentIngested>>> {
  const rows = await db.query<IngestedRow>(
    `SELECT json_build_object(
              'eventId', r.event_id, 'tenantId', r.tenant_id, 'documentId', r.document_id, 'jobId', r.job_id,
              'correlationId', j.correlation_id, 'causationId', '', 'text', r.text, 'textRef', r.text_ref,
              'textSha256', r.text_sha256, 'mediaType', r.media_type, 'charset', r.charset, 'language', r.language,
              'metadata', r.metadata, 'priority', r.priority, 'sensitivity', r.sensitivity,
              'sourceEventId', r.source_event_id, 'stream', r.stream) AS event,
            r.revision, r.deadline_ms, r.occurred_at, j.traceparent,
            (SELECT array_agg(a.analysis ORDER BY a.analysis) FROM job_analysis a WHERE a.job_id = r.job_id) AS analyses
     FROM document_revision r JOIN job j ON j.id = r.job_id
     WHERE r.job_id = ANY($1::uuid[])`,
    [jobIds],
  );
  const rendered = rows.map(({ event, revision, deadline_ms, occurred_at, traceparent, analyses }) => {
    const numbers = { revision: Number(revision), deadlineMs: Number(deadline_ms), occurredAt: occurred_at.getTime() };
    return [event.jobId, { event: { ...event, ...numbers, requestedAnalyses: analyses }, traceparent }] as const;
  });
  return new Map(rendered);
}

interface CommandRow extends Row {
  event: Omit<AnalysisRequested, 'revision' | 'occurredAt' | 'askedAt'>;
  analysis: string;
  revision: string;
  created_at: Date;
  asked_at: Date | null;
  traceparent: string | null;
}

/** A command, and the analysis that it is for. */
export interface RenderedCommand extends RenderedEvent<AnalysisRequested> {
  analysis: string;
}

/** The `analysis.NAME.requested` of each command, by its id. */
export async function readRequestedEvents(
  db: Queryable,
  commandIds: readonly string[],
): Promise<Map<string, RenderedCommand>> {
  const rows = await db.query<CommandRow>(
    `SELECT json_build_object(
              'eventId', c.id, 'tenantId', r.tenant_id, 'documentId', r.document_id, 'jobId', r.job_id,
              'correlationId', j.correlation_id, 'causationId', c.causation_id, 'run', c.run, 'cause', c.cause,
              'fresh', c.fresh, 'text', r.text, 'textRef', r.text_ref, 'textSha256', r.text_sha256,
              'mediaType', r.media_type, 'charset', r.charset, 'language', r.language, 'metadata', r.metadata,
              'priority', r.priority, 'sensitivity', r.sensitivity, 'stream', r.stream) AS event,
            c.analysis, r.revision, c.created_at, c.asked_at, j.traceparent
     FROM command c JOIN document_revision r ON r.job_id = c.job_id JOIN job j ON j.id = c.job_id
     WHERE c.id = ANY($1::uuid[])`,
    [commandIds],
  );
  const rendered = rows.map(({ event, analysis, revision, created_at, asked_at, traceparent }) => {
    const times = { occurredAt: created_at.getTime(), askedAt: asked_at?.getTime() ?? null };
    return [
      event.eventId,
      { event: { ...event, revision: Number(revision), ...times }, analysis, traceparent },
    ] as const;
  });
  return new Map(rendered);
}

interface SettlementRow extends Row {
  id: string;
  job_id: string;
  tenant_id: string;
  document_id: string;
  revision: string;
  state: JobState;
  reason: string | null;
  superseded_by: string | null;
  final: boolean;
  result_version: number;
  result_digest: string;
  outcome_ids: string[];
  causation_id: string;
  settled_at: Date;
  correlation_id: string;
  text_sha256: string;
  traceparent: string | null;
  metadata: Record<string, string>;
}

/** The `document.enriched` of each settlement, by settlement id. */
export async function readEnrichedEvents(
  db: Queryable,
  settlementIds: readonly string[],
): Promise<Map<string, RenderedEvent<DocumentEnriched>>> {
  const settlements = await db.query<SettlementRow>(
    `SELECT s.id, s.job_id, j.tenant_id, j.document_id, j.revision, s.state, s.reason, s.superseded_by, s.final,
            s.result_version, s.result_digest, s.outcome_ids, s.causation_id, s.settled_at, j.correlation_id, j.text_sha256,
            j.traceparent, r.metadata
     FROM settlement s JOIN job j ON j.id = s.job_id JOIN document_revision r ON r.job_id = s.job_id
     WHERE s.id = ANY($1::uuid[])`,
    [settlementIds],
  );
  const outcomes = await readOutcomes(db, settlements);
  const rendered = settlements.map((row) => {
    const own = row.outcome_ids.flatMap((id) => outcomes.get(id) ?? []);
    return [row.id, { event: fitEnriched(enrichedEvent(row, own)), traceparent: row.traceparent }] as const;
  });
  return new Map(rendered);
}

type StoredOutcome = Omit<OutcomeRow, 'finished_at'> & Row & { finished_at: Date | null };

async function readOutcomes(db: Queryable, settlements: readonly SettlementRow[]): Promise<Map<string, StoredOutcome>> {
  // By job, which is what the index is on.
  const rows = await db.query<StoredOutcome>(
    `SELECT id, analysis, run, status, finished_at, engine, coverage, usage, language, warnings, refusal, failure,
            result_schema, result, result_ref
     FROM outcome WHERE job_id = ANY($1::uuid[]) AND id = ANY($2::uuid[])`,
    [settlements.map(({ job_id }) => job_id), settlements.flatMap(({ outcome_ids }) => outcome_ids)],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

function enrichedEvent(row: SettlementRow, outcomes: readonly StoredOutcome[]): DocumentEnriched {
  const showsResults = isPublished(row.state);
  return {
    eventId: row.id,
    tenantId: row.tenant_id,
    documentId: row.document_id,
    revision: Number(row.revision),
    jobId: row.job_id,
    correlationId: row.correlation_id,
    causationId: row.causation_id,
    occurredAt: row.settled_at.getTime(),
    state: row.state.toUpperCase() as DocumentEnriched['state'],
    reason: row.reason,
    resultVersion: row.result_version,
    resultDigest: row.result_digest,
    textSha256: row.text_sha256,
    supersededBy: row.superseded_by === null ? null : Number(row.superseded_by),
    final: row.final,
    outcomes: outcomes.map((outcome) => analysisOutcome(outcome, showsResults)),
    metadata: row.metadata,
  };
}

function analysisOutcome(row: StoredOutcome, showsResults: boolean): AnalysisOutcome {
  const { analysis, run, engine, coverage, usage, language, warnings, refusal, failure, result } = row;
  return {
    analysis,
    run,
    engine,
    coverage,
    usage,
    language,
    warnings,
    refusal,
    failure,
    status: row.status.toUpperCase() as Uppercase<OutcomeStatus>,
    finishedAt: row.finished_at?.getTime() ?? null,
    resultSchema: row.result_schema,
    resultJson: showsResults && result !== null ? JSON.stringify(renderResult(analysis, result)) : null,
    resultRef: showsResults ? row.result_ref : null,
  };
}
