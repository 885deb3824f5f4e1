import {
  ingestedEventIdOf,
  jobIdOf,
  revisionMax,
  type ContentRef,
  type Priority,
  type Sensitivity,
} from '@anabranch/contracts';
import { PoisonMessage } from '@anabranch/failures';
import type { JobState } from '@anabranch/job';
import { createBatcher, type Batcher } from '../batcher.js';
import { bisect } from '../bisect.js';
import { enabledAnalyses } from '../catalogue/catalogue.js';
import type { Database, Queryable } from '../database.js';
import { open, type Batch, type NewRevision } from './batch.js';
import { documentKey, lockDocuments, type LockedDocument } from './documents.js';
import { takeEarlyOutcomes } from './early-outcomes.js';
import { viewOfRecord, type JobView } from './job-view.js';
import { lockJobs, otherJobs } from './load.js';
import { rejectionOf, resolveAnalyses } from './requested-analyses.js';
import { saveBatch } from './save.js';
import { knownTenants, unknownTenant } from './tenants.js';

/** A document as ingestion hands it over: read, cleaned, and stored where it does not travel inline. */
export interface NewDocument {
  tenantId: string;
  /** Null: the id is derived from the text, so that the same text without an id is the same document. */
  documentId: string | null;
  /**
   * Hash over the text and the options that affect results; not over the requested analyses, which are compared as the set
   * that they resolve to.
   */
  contentSha256: string;
  /** SHA-256 of the cleaned text, lower-case hex. */
  textSha256: string;
  /** The cleaned text, when it travels inline; exactly one of text and textRef is given. */
  text: string | null;
  textRef: ContentRef | null;
  mediaType: string;
  charset: string | null;
  language: string | null;
  metadata: Record<string, string>;
  /** Empty: all that the deployment has enabled. */
  requestedAnalyses: readonly string[];
  /** Duration from acceptance, resolved: never 0. */
  deadlineMs: number;
  /** See `NewRevision`; null: the deadline. */
  graceMs: number | null;
  priority: Priority;
  sensitivity: Sensitivity;
  sourceEventId: string | null;
  stream: boolean;
  /** Null: the job id stands in for it. */
  correlationId: string | null;
  traceparent: string | null;
}

export interface AcceptedDocument {
  job: JobView;
  /** False when the document's latest revision has this content and these analyses already. */
  created: boolean;
}

/** The id of a document that was sent without one. */
export function documentIdOf(textSha256: string): string {
  return `sha256-${textSha256}`;
}

const batchers = new WeakMap<Database, Batcher<NewDocument, AcceptedDocument>>();

/**
 * Accepts a document durably: document, revision, job, history and outbox row in one transaction. When it resolves, they
 * survive. Documents that wait together share a transaction.
 * @throws PoisonMessage UNKNOWN_TENANT; REVISION_CONFLICT when the document has the highest revision that there is;
 *   INVALID_EVENT for an analysis that does not exist or a value that Postgres cannot hold; DependencyUnavailable when Postgres does not answer: whether it was accepted is then unknown, and sending the
 *   document again finds out
 */
export function acceptDocument(db: Database, document: NewDocument): Promise<AcceptedDocument> {
  const batcher = batchers.get(db) ?? createAcceptance(db);
  batchers.set(db, batcher);
  return batcher.add(document);
}

function createAcceptance(db: Database): Batcher<NewDocument, AcceptedDocument> {
  return createBatcher<NewDocument, AcceptedDocument>({
    lanes: 2,
    maxItems: 200,
    keyOf: (document) => documentKey(keyOf(document)),
    run: async (documents) => {
      const results = await bisect(documents, (part) => db.transaction((tx) => acceptIn(db, tx, part)));
      if (results.some((result) => !(result instanceof Error) && result.created)) db.notify('document.ingested');
      return results;
    },
  });
}

const keyOf = ({ tenantId, documentId, textSha256 }: NewDocument) => ({
  tenantId,
  documentId: documentId ?? documentIdOf(textSha256),
});

/** What a document turns out to be: a job that exists, or a new revision. Several documents may be the same one. */
interface Plan {
  jobId: string;
  created: boolean;
}

/** The newest revision of a document, as it stands or as this batch is about to open it. */
interface Latest {
  revision: number;
  jobId: string;
  contentSha256: string | null;
  analyses: readonly string[];
  state: JobState;
}

async function acceptIn(
  db: Database,
  tx: Queryable,
  documents: readonly NewDocument[],
): Promise<(AcceptedDocument | Error)[]> {
  const tenants = await knownTenants(
    db,
    tx,
    documents.map(({ tenantId }) => tenantId),
  );
  const enabled = await enabledAnalyses(tx);
  const faults = documents.map((document) => faultOf(document, tenants, enabled));
  const sound = documents.filter((_, at) => faults[at] === null);
  const accepted = sound.length === 0 ? [] : await acceptSound(tx, sound, enabled);
  let next = 0;
  return faults.map((fault) => fault ?? expectPresent(accepted[next++]));
}

async function acceptSound(tx: Queryable, documents: readonly NewDocument[], enabled: readonly string[]) {
  const batch = await loadBatch(tx, documents);
  const { plans, openings } = planAll(batch, documents, enabled);
  const early = await takeEarlyOutcomes(tx, openings);
  for (const opening of openings) open(batch, opening, early.byJob.get(opening.jobId) ?? []);
  await saveBatch(tx, batch, { ingested: true });
  return plans.map((plan) => (plan instanceof Error ? plan : acceptedAs(batch, plan)));
}

function expectPresent<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('What a batch has locked or planned must be there.');
  return value;
}

function faultOf(
  document: NewDocument,
  tenants: ReadonlySet<string>,
  enabled: readonly string[],
): PoisonMessage | null {
  if (!tenants.has(document.tenantId)) return unknownTenant();
  const rejection = rejectionOf(resolveAnalyses(document.requestedAnalyses, enabled), enabled);
  return rejection === null ? null : new PoisonMessage('INVALID_EVENT', rejection);
}

async function loadBatch(tx: Queryable, documents: readonly NewDocument[]): Promise<Batch> {
  const locked = await lockDocuments(tx, documents.map(keyOf));
  const known = [...locked.documents.values()].filter(({ latestRevision }) => latestRevision !== null);
  const latest = known.map(({ latestRevision, ...key }) => jobIdOf({ ...key, revision: latestRevision ?? 0 }));
  const records = await lockJobs(tx, [...latest, ...(await otherJobs(tx, locked, known))]);
  return { ...locked, records, events: [] };
}

function planAll(batch: Batch, documents: readonly NewDocument[], enabled: readonly string[]) {
  const newest = new Map<string, Latest | null>();
  const openings: NewRevision[] = [];
  const plans = documents.map((document): Plan | PoisonMessage => {
    const key = documentKey(keyOf(document));
    const latest = newest.get(key) ?? latestOf(batch, batch.documents.get(key));
    const analyses = resolveAnalyses(document.requestedAnalyses, enabled);
    if (latest !== null && isSame(latest, document, analyses)) return { jobId: latest.jobId, created: false };
    if (latest !== null && latest.revision >= revisionMax) return noRevisionLeft();
    const opening = newRevision(document, (latest?.revision ?? 0) + 1, { analyses, now: batch.now });
    const { jobId, revision, contentSha256 } = opening;
    openings.push(opening);
    newest.set(key, { jobId, revision, contentSha256, analyses, state: 'accepted' });
    return { jobId, created: true };
  });
  return { plans, openings };
}

/** Somebody published the highest revision: whatever came after it would be poison to every reader. */
function noRevisionLeft(): PoisonMessage {
  const message = `The document has revision ${revisionMax}, and no higher one exists. Send it with another document id.`;
  return new PoisonMessage('REVISION_CONFLICT', message);
}

function latestOf({ records }: Batch, document: LockedDocument | undefined): Latest | null {
  if (document === undefined || document.latestRevision === null) return null;
  const { latestRevision: revision, ...key } = document;
  const jobId = jobIdOf({ ...key, revision });
  const { contentSha256, job } = expectPresent(records.get(jobId));
  return { revision, jobId, contentSha256, analyses: Object.keys(job.analyses).sort(), state: job.state };
}

const undoneStates: readonly JobState[] = ['rejected', 'cancelled', 'withheld'];

/** Semantics §1: same content and same analyses as the latest revision, whose job was not undone. */
function isSame(latest: Latest, { contentSha256 }: NewDocument, analyses: readonly string[]): boolean {
  if (latest.contentSha256 !== contentSha256 || undoneStates.includes(latest.state)) return false;
  return latest.analyses.length === analyses.length && latest.analyses.every((name, at) => name === analyses[at]);
}

function newRevision(
  document: NewDocument,
  revision: number,
  { analyses, now }: { analyses: readonly string[]; now: number },
): NewRevision {
  const { text, textRef, textSha256, contentSha256, traceparent, correlationId } = document;
  const { mediaType, charset, language, metadata, deadlineMs, priority, sensitivity, sourceEventId, stream } = document;
  const key = keyOf(document);
  const jobId = jobIdOf({ ...key, revision });
  return {
    ...key,
    jobId,
    revision,
    requestedAnalyses: analyses,
    rejection: null,
    contentSha256,
    textSha256,
    text,
    textRef,
    traceparent,
    correlationId: correlationId ?? jobId,
    deadlineAt: now + deadlineMs,
    graceMs: document.graceMs ?? deadlineMs,
    eventId: ingestedEventIdOf(jobId),
    occurredAt: now,
    attributes: { mediaType, charset, language, metadata, deadlineMs, priority, sensitivity, sourceEventId, stream },
  };
}

function acceptedAs({ records }: Batch, { jobId, created }: Plan): AcceptedDocument {
  return { job: viewOfRecord(expectPresent(records.get(jobId))), created };
}
