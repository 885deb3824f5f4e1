import { decide, evolve, isSettled, openingOf, type Fact, type Job, type JobEvent, type Outcome } from '@anabranch/job';
import type { ContentRef, DocumentIngested } from '@anabranch/contracts';
import { documentKey, type DocumentKey, type LockedDocuments } from './documents.js';

/** What a new job is opened with; written once, never changed. */
export interface NewRevision extends DocumentKey {
  jobId: string;
  revision: number;
  /** The analyses asked for, resolved: the set that the receipt is checked against. */
  requestedAnalyses: readonly string[];
  /** Why the job cannot be processed; null when it can. */
  rejection: string | null;
  deadlineAt: number;
  /** Hash over text and options, by which HTTP recognises the same content; null when it came by Kafka. */
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

/** Tells a job a fact, and notes what follows from it. */
export function tell(batch: Batch, { record, fact, causationId }: Telling): void {
  for (const event of decide(record.job, fact)) {
    record.job = evolve(record.job, event);
    batch.events.push({ record, number: record.job.sequence, event, causationId });
  }
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
  const { own, older } = openingOf(opening.revision, document.latestRevision);
  own.forEach(tellOwn);
  // A document without an earlier revision has no older jobs: no need to look for them.
  const overtaken = document.latestRevision === null ? [] : olderUnsettled(batch, opening);
  for (const other of overtaken) older.forEach((fact) => tell(batch, { record: other, fact, causationId }));
  if (document.latestRevision === null || opening.revision > document.latestRevision) {
    document.latestRevision = opening.revision;
    document.isChanged = true;
  }
  tellOwn({ type: 'outcomesRecorded', outcomes: early });
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

function olderUnsettled(batch: Batch, { tenantId, documentId, revision }: NewRevision): JobRecord[] {
  return [...batch.records.values()].filter(
    (other) =>
      other.tenantId === tenantId &&
      other.documentId === documentId &&
      other.job.revision < revision &&
      !isSettled(other.job.state),
  );
}
