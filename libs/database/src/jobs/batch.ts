import {
  decide,
  evolve,
  isPublished,
  isSettled,
  openingOf,
  type Fact,
  type Job,
  type JobEvent,
  type Outcome,
  type RunningJob,
} from '@anabranch/job';
import type { ContentRef, DocumentIngested } from '@anabranch/contracts';
import { documentKey, type DocumentKey, type LockedDocument, type LockedDocuments } from './documents.js';

/** What a new job is opened with; written once, never changed. */
export interface NewRevision extends DocumentKey {
  jobId: string;
  revision: number;
  /** The analyses asked for, resolved: the set that the receipt is checked against. */
  requestedAnalyses: readonly string[];
  /** Why the job cannot be processed; null when it can. */
  rejection: string | null;
  deadlineAt: number;
  /** How long the document may be without a published result before an older job runs on beside this one. */
  graceMs: number;
  /** Hash over text and options, by which HTTP recognises the same content; null when the text cannot be read. */
  contentSha256: string | null;
  textSha256: string;
  text: string | null;
  textRef: ContentRef | null;
  traceparent: string | null;
  correlationId: string;
  eventId: string;
  occurredAt: number;
  attributes: Pick<
    DocumentIngested,
    | 'mediaType'
    | 'charset'
    | 'language'
    | 'metadata'
    | 'deadlineMs'
    | 'priority'
    | 'sensitivity'
    | 'sourceEventId'
    | 'stream'
  >;
}

/** A job in memory, between being locked and being written back. */
export interface JobRecord extends DocumentKey {
  job: Job;
  textSha256: string;
  contentSha256: string | null;
  traceparent: string | null;
  /** By the database's clock, in epoch milliseconds. */
  createdAt: number;
  updatedAt: number;
  /** What to insert, when the job is new. */
  opening: NewRevision | null;
}

/** One step of a job's history that has to be written. */
export interface NewEvent {
  record: JobRecord;
  number: number;
  event: JobEvent;
  /** Event id of what caused it. */
  causationId: string;
}

/** All that one transaction read, and all that it has to write. */
export interface Batch extends LockedDocuments {
  /** By job id. */
  records: Map<string, JobRecord>;
  events: NewEvent[];
}

/** Tells a job a fact, and notes what follows from it, for its document's other jobs, too. */
export function tell(batch: Batch, { record, fact, causationId }: Telling): void {
  for (const event of decide(record.job, fact)) {
    record.job = evolve(record.job, event);
    batch.events.push({ record, number: record.job.sequence, event, causationId });
  }
  const document = batch.documents.get(documentKey(record));
  if (document !== undefined && document.keptJobId !== null && isSettled(record.job.state))
    endGrace(batch, document, { record, causationId });
}

/** Results are published in order: once a newer one is, the older job that ran on beside it has no more to say. */
function endGrace(batch: Batch, document: LockedDocument, { record, causationId }: Omit<Telling, 'fact'>): void {
  const kept = batch.records.get(document.keptJobId ?? '');
  if (kept === undefined) return;
  const isOver = isSettled(kept.job.state);
  const isOvertaken = !isOver && isPublished(record.job.state) && record.job.revision > kept.job.revision;
  if (!isOver && !isOvertaken) return;
  document.keptJobId = null;
  document.isChanged = true;
  const fact: Fact = { type: 'newerRevisionOpened', revision: record.job.revision };
  if (isOvertaken) tell(batch, { record: kept, fact, causationId });
}

interface Telling {
  record: JobRecord;
  fact: Fact;
  /** Event id of what brought the fact. */
  causationId: string;
}

/**
 * Opens the job of a new revision; what it means for older revisions is told to their jobs. `early` are the outcomes that
 * came before it.
 */
export function open(batch: Batch, opening: NewRevision, early: readonly Outcome[]): JobRecord {
  const document = batch.documents.get(documentKey(opening));
  if (document === undefined) throw new Error('The document of a new revision must be locked.');
  const causationId = opening.eventId;
  const record = acceptedRecord(batch, opening);
  const tellOwn = (fact: Fact): void => tell(batch, { record, fact, causationId });
  if (opening.rejection !== null) tellOwn({ type: 'rejected', reason: opening.rejection });
  const { own, overtaken, kept } = openingOf(opening.revision, {
    latestRevision: document.latestRevision,
    // A document without an earlier revision has no older jobs: no need to look for them.
    running: document.latestRevision === null ? [] : olderUnsettled(batch, opening),
    unpublishedForMs: batch.now - document.unpublishedSince,
    graceMs: opening.graceMs,
  });
  own.forEach(tellOwn);
  const newer: Fact = { type: 'newerRevisionOpened', revision: opening.revision };
  for (const jobId of overtaken) tell(batch, { record: lockedRecord(batch, jobId), fact: newer, causationId });
  if (document.latestRevision === null || opening.revision > document.latestRevision) {
    document.latestRevision = opening.revision;
    document.keptJobId = kept;
    document.isChanged = true;
  }
  tellOwn({ type: 'outcomesRecorded', outcomes: early, latestRevision: document.latestRevision });
  return record;
}

function acceptedRecord(batch: Batch, opening: NewRevision): JobRecord {
  const { jobId, revision, requestedAnalyses, deadlineAt, eventId } = opening;
  const [event] = decide(null, { type: 'accepted', jobId, revision, requestedAnalyses, deadlineAt });
  if (event === undefined) throw new Error('A job that is new must be accepted.');
  const { tenantId, documentId, textSha256, contentSha256, traceparent } = opening;
  const record: JobRecord = {
    job: evolve(null, event),
    tenantId,
    documentId,
    textSha256,
    contentSha256,
    traceparent,
    createdAt: batch.now,
    updatedAt: batch.now,
    opening,
  };
  batch.records.set(jobId, record);
  batch.events.push({ record, number: record.job.sequence, event, causationId: eventId });
  return record;
}

function olderUnsettled(batch: Batch, { tenantId, documentId, revision }: NewRevision): RunningJob[] {
  return [...batch.records.values()]
    .filter((other) => other.tenantId === tenantId && other.documentId === documentId)
    .filter(({ job }) => job.revision < revision && !isSettled(job.state))
    .map(({ job }) => ({ jobId: job.id, revision: job.revision }));
}

function lockedRecord({ records }: Batch, jobId: string): JobRecord {
  const record = records.get(jobId);
  if (record === undefined) throw new Error('A job that is told something must be locked.');
  return record;
}
