import { settlementIdOf } from '@anabranch/contracts';
import type { JobEvent, Settled } from '@anabranch/job';
import type { Queryable } from '../database.js';
import type { Batch, JobRecord, NewEvent, NewRevision } from './batch.js';

/** A settlement that was written, for metrics and logs. */
export interface SettledJob {
  jobId: string;
  tenantId: string;
  documentId: string;
  traceparent: string | null;
  state: Settled['state'];
  resultVersion: number;
  /** From acceptance, by the database's clock; 0 when both were one transaction. */
  elapsedMs: number;
}

/** Ids of immutable rows that a topic has to carry. */
interface OutboxRow {
  topic: string;
  row_id: string;
  tenant_id: string;
  document_id: string;
}

interface Statement {
  sql: string;
  rows: readonly object[];
}

/**
 * Writes what a batch changed: one set-based statement for each table, and none for a table without a change. The
 * documents are locked, so the statements only have to keep to the order documents, jobs, the rest.
 * `ingested` says whether new jobs still have to be put on `document.ingested`.
 */
export async function saveBatch(
  tx: Queryable,
  batch: Batch,
  { ingested }: { ingested: boolean },
): Promise<SettledJob[]> {
  const touched = [...new Set(batch.events.map(({ record }) => record))];
  const opened = touched.filter(({ opening }) => opening !== null);
  const known = touched.filter(({ opening }) => opening === null);
  const settlements = batch.events.filter(isSettlement);
  const statements: Statement[] = [
    { sql: updateDocuments, rows: changedDocuments(batch) },
    { sql: insertRevisions, rows: opened.flatMap(revisionRows) },
    { sql: insertJobs, rows: opened.map(jobRow) },
    { sql: updateJobs, rows: known.map(jobRow) },
    { sql: insertAnalyses, rows: opened.flatMap(analysisRows) },
    { sql: updateAnalyses, rows: known.length === 0 ? [] : changedAnalyses(batch) },
    { sql: insertEvents, rows: batch.events.map(eventRow) },
    { sql: insertSettlements, rows: settlements.map(settlementRow) },
    {
      sql: insertOutbox,
      rows: [...(ingested ? opened.map(ingestedOutboxRow) : []), ...settlements.map(settledOutboxRow)],
    },
  ];
  // In this order, and in one round trip.
  const changes = statements.filter(({ rows }) => rows.length > 0);
  await Promise.all(changes.map(({ sql, rows }) => tx.query(sql, [JSON.stringify(rows)])));
  return settlements.map(({ record, event }) => ({
    jobId: record.job.id,
    tenantId: record.tenantId,
    documentId: record.documentId,
    traceparent: record.traceparent,
    state: event.state,
    resultVersion: event.resultVersion,
    elapsedMs: batch.now - record.createdAt,
  }));
}

const updateDocuments = `
  UPDATE document d SET latest_revision = n.latest_revision, kept_job_id = n.kept_job_id
  FROM json_to_recordset($1) AS n(tenant_id text, document_id text, latest_revision bigint, kept_job_id uuid)
  WHERE d.tenant_id = n.tenant_id AND d.document_id = n.document_id`;

function changedDocuments({ documents }: Batch): object[] {
  const changed = [...documents.values()].filter(({ isChanged }) => isChanged);
  return changed.map(({ tenantId, documentId, latestRevision, keptJobId }) => {
    return { ...documentOf({ tenantId, documentId }), latest_revision: latestRevision, kept_job_id: keptJobId };
  });
}

const insertRevisions = `
  INSERT INTO document_revision (job_id, tenant_id, document_id, revision, event_id, occurred_at, text, text_ref, text_sha256,
    media_type, charset, language, metadata, deadline_ms, priority, sensitivity, source_event_id, stream)
  SELECT job_id, tenant_id, document_id, revision, event_id, occurred_at, text, text_ref, text_sha256,
    media_type, charset, language, metadata, deadline_ms, priority, sensitivity, source_event_id, stream
  FROM json_to_recordset($1) AS r(job_id uuid, tenant_id text, document_id text, revision bigint, event_id text,
    occurred_at timestamptz, text text, text_ref jsonb, text_sha256 text, media_type text, charset text, language text,
    metadata jsonb, deadline_ms bigint, priority text, sensitivity text, source_event_id text, stream boolean)`;

function revisionRows({ opening }: JobRecord): object[] {
  if (opening === null) return [];
  const { attributes } = opening;
  return [
    {
      job_id: opening.jobId,
      ...documentOf(opening),
      revision: opening.revision,
      event_id: opening.eventId,
      occurred_at: isoTime(opening.occurredAt),
      text: opening.text,
      text_ref: opening.textRef,
      text_sha256: opening.textSha256,
      media_type: attributes.mediaType,
      charset: attributes.charset,
      language: attributes.language,
      metadata: attributes.metadata,
      deadline_ms: attributes.deadlineMs,
      priority: attributes.priority,
      sensitivity: attributes.sensitivity,
      source_event_id: attributes.sourceEventId,
      stream: attributes.stream,
    },
  ];
}

const insertJobs = `
  INSERT INTO job (id, tenant_id, document_id, revision, state, reason, superseded_by, result_version, sequence,
    content_sha256, text_sha256, correlation_id, traceparent, deadline_at)
  SELECT id, tenant_id, document_id, revision, state, reason, superseded_by, result_version, sequence,
    content_sha256, text_sha256, correlation_id, traceparent, deadline_at
  FROM json_to_recordset($1) AS j(id uuid, tenant_id text, document_id text, revision bigint, state text, reason text,
    superseded_by bigint, result_version integer, sequence integer, content_sha256 text, text_sha256 text,
    correlation_id text, traceparent text, deadline_at timestamptz)`;

const updateJobs = `
  UPDATE job j SET state = n.state, reason = n.reason, superseded_by = n.superseded_by,
    result_version = n.result_version, sequence = n.sequence, updated_at = now()
  FROM json_to_recordset($1) AS n(id uuid, state text, reason text, superseded_by bigint, result_version integer,
    sequence integer)
  WHERE j.id = n.id`;

/** A row of `job`. */
export function jobRow({ job, textSha256, contentSha256, traceparent, opening, ...key }: JobRecord): object {
  return {
    id: job.id,
    ...documentOf(key),
    revision: job.revision,
    state: job.state,
    reason: job.reason,
    superseded_by: job.supersededBy,
    result_version: job.resultVersion,
    sequence: job.sequence,
    content_sha256: contentSha256,
    text_sha256: textSha256,
    correlation_id: opening?.correlationId,
    traceparent,
    deadline_at: isoTime(job.deadlineAt),
  };
}

/** Takes `analysisRows`. */
export const insertAnalyses = `
  INSERT INTO job_analysis (job_id, analysis, tenant_id, wanted_run, effective_run, effective_status, effective_code,
    effective_outcome_id, effective_digest)
  SELECT job_id, analysis, tenant_id, wanted_run, run, status, code, outcome_id, digest
  FROM json_to_recordset($1) AS a(job_id uuid, analysis text, tenant_id text, wanted_run integer, run integer, status text,
    code text, outcome_id uuid, digest text)`;

const updateAnalyses = `
  UPDATE job_analysis a SET wanted_run = n.wanted_run, effective_run = n.run, effective_status = n.status, effective_code = n.code,
    effective_outcome_id = n.outcome_id, effective_digest = n.digest
  FROM json_to_recordset($1) AS n(job_id uuid, analysis text, wanted_run integer, run integer, status text, code text,
    outcome_id uuid, digest text)
  WHERE a.job_id = n.job_id AND a.analysis = n.analysis`;

/** The rows of `job_analysis` of a job. */
export function analysisRows(record: JobRecord): object[] {
  return Object.keys(record.job.analyses).map((analysis) => analysisRow(record, analysis));
}

function analysisRow({ job, tenantId }: JobRecord, analysis: string): object {
  const { wantedRun, effective } = job.analyses[analysis] ?? { wantedRun: 1, effective: null };
  const { outcomeId, run, status, code, digest } = effective ?? {};
  const key = { job_id: job.id, analysis, tenant_id: tenantId, wanted_run: wantedRun };
  return { ...key, run, status, code, outcome_id: outcomeId, digest };
}

/** The analyses of known jobs that changed; each once, as it is in the end. */
function changedAnalyses({ events }: Batch): object[] {
  const changed = new Map<string, object>();
  for (const { record, event } of events) {
    const analysis = record.opening === null ? changedAnalysis(record, event) : null;
    if (analysis !== null) changed.set(`${record.job.id} ${analysis}`, analysisRow(record, analysis));
  }
  return [...changed.values()];
}

/** The analysis in which an outcome took effect, or which was asked to run again. */
function changedAnalysis({ job }: JobRecord, event: JobEvent): string | null {
  if (event.type === 'run-requested') return event.analysis;
  if (event.type !== 'outcome-recorded') return null;
  const { analysis, outcomeId } = event.outcome;
  return job.analyses[analysis]?.effective?.outcomeId === outcomeId ? analysis : null;
}

// As `jsonb`, a row's own JSON is read once; as `json`, once more for its column.
const insertEvents = `
  INSERT INTO job_event (job_id, number, tenant_id, type, data)
  SELECT job_id, number, tenant_id, type, data
  FROM jsonb_to_recordset($1) AS e(job_id uuid, number integer, tenant_id text, type text, data jsonb)`;

function eventRow({ record, number, event }: NewEvent): object {
  const { type, ...data } = event;
  return { job_id: record.job.id, number, tenant_id: record.tenantId, type, data };
}

const insertSettlements = `
  INSERT INTO settlement (id, job_id, tenant_id, result_version, state, reason, superseded_by, final, result_digest,
    outcome_ids, causation_id)
  SELECT id, job_id, tenant_id, result_version, state, reason, superseded_by, final, result_digest, outcome_ids, causation_id
  FROM json_to_recordset($1) AS s(id uuid, job_id uuid, tenant_id text, result_version integer, state text, reason text,
    superseded_by bigint, final boolean, result_digest text, outcome_ids uuid[], causation_id text)`;

type Settlement = NewEvent & { event: Settled };

function isSettlement(step: NewEvent): step is Settlement {
  return step.event.type === 'settled';
}

function settlementRow({ record, event, causationId }: Settlement): object {
  return {
    id: settlementIdOf(record.job.id, event.resultVersion),
    job_id: record.job.id,
    tenant_id: record.tenantId,
    result_version: event.resultVersion,
    state: event.state,
    reason: event.reason,
    superseded_by: event.supersededBy,
    final: event.final,
    result_digest: event.resultDigest,
    outcome_ids: event.outcomeIds,
    causation_id: causationId,
  };
}

const insertOutbox = `
  INSERT INTO outbox (topic, row_id, tenant_id, document_id)
  SELECT topic, row_id, tenant_id, document_id
  FROM json_to_recordset($1) AS o(topic text, row_id uuid, tenant_id text, document_id text)`;

function ingestedOutboxRow({ job, ...key }: JobRecord): OutboxRow {
  return { topic: 'document.ingested', row_id: job.id, ...documentOf(key) };
}

function settledOutboxRow({ record, event }: Settlement): OutboxRow {
  const id = settlementIdOf(record.job.id, event.resultVersion);
  return { topic: 'document.enriched', row_id: id, ...documentOf(record) };
}

function documentOf({ tenantId, documentId }: Pick<NewRevision, 'tenantId' | 'documentId'>) {
  return { tenant_id: tenantId, document_id: documentId };
}

function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
