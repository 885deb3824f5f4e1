import { ingestedEventIdOf, jobIdOf, revisionMax } from '@anabranch/contracts';
import { PoisonMessage } from '@anabranch/failures';
import { reach } from '@anabranch/failures/fail-points';
import type { JobState } from '@anabranch/job';
import { createBatcher, type Batcher } from '../batcher.js';
import { bisect } from '../bisect.js';
import { enabledAnalyses } from '../catalogue/catalogue.js';
import type { Database, Queryable } from '../database.js';
import { claimKeys, storeKeyAnswers, type KeyClaim, type KeyAnswer } from '../idempotency/keys.js';
import {
  acceptanceRoom,
  AcceptanceLimitReached,
  othersHaveEnded,
  type AcceptanceRoom,
} from '../limits/acceptance-limits.js';
import { open, type Batch, type NewRevision } from './batch.js';
import { documentKey, lockDocuments, type LockedDocument } from './documents.js';
import { takeEarlyOutcomes } from './early-outcomes.js';
import { DocumentHeld, heldApart, heldDocuments } from './held-documents.js';
import { viewOfRecord } from './job-view.js';
import { lockJobs, otherJobs } from './load.js';
import { documentKeyOf, type AcceptedDocument, type NewDocument } from './new-document.js';
import { getJob } from './read-jobs.js';
import { rejectionOf, resolveAnalyses } from './requested-analyses.js';
import { saveBatch } from './save.js';
import { knownTenants, unknownTenant } from './tenants.js';

const batchers = new WeakMap<Database, Batcher<NewDocument, AcceptedDocument>>();

/**
 * Accepts a document durably: document, revision, job, history and outbox row in one transaction. When it resolves, they
 * survive. Documents that wait together share a transaction.
 * @throws IdempotencyKeyInUse while the first request of the key is not answered, in whichever process; IdempotencyKeyReused
 *   when it was another one; AcceptanceLimitReached when there is no room for a new job;
 *   PoisonMessage UNKNOWN_TENANT; REVISION_CONFLICT when the document has the highest revision that there is;
 *   INVALID_EVENT for an analysis that does not exist or a value that Postgres cannot hold; DependencyUnavailable when
 *   Postgres does not answer: whether it was accepted is then unknown, and sending the document again finds out
 */
export function acceptDocument(db: Database, document: NewDocument): Promise<AcceptedDocument> {
  const batcher = batchers.get(db) ?? createAcceptance(db);
  batchers.set(db, batcher);
  return batcher.add(document);
}

function createAcceptance(db: Database): Batcher<NewDocument, AcceptedDocument> {
  const keyOf = (document: NewDocument): string => documentKey(documentKeyOf(document));
  return heldApart({
    keyOf,
    createLanes: (isBehind) =>
      createBatcher<NewDocument, AcceptedDocument>({
        lanes: 2,
        maxItems: 200,
        keyOf,
        run: async (documents) => {
          const mayCome = documents.map((document) => !isBehind(document));
          const answers = await acceptBatch(
            db,
            documents.filter((_, at) => mayCome[at]),
          );
          return mayCome.map((may) => (may ? expectPresent(answers.shift()) : documentHeld()));
        },
      }),
  });
}

const documentHeld = (): DocumentHeld => new DocumentHeld('Another transaction has the document.');

async function acceptBatch(db: Database, documents: readonly NewDocument[]): Promise<(AcceptedDocument | Error)[]> {
  const results = await acceptAll(db, documents);
  reach('acceptance.committed');
  if (results.some((result) => 'created' in result && 'job' in result && result.created))
    db.notify('document.ingested');
  const answers = results.map((result, at) => answerOf(db, result, documents[at]));
  // What one answer lacks is not the others' fault: they are accepted.
  return Promise.all(answers.map((answer) => answer.catch((error: unknown) => error as Error)));
}

/** Who is refused while there may be room, since others were ending, comes again when they have, twice at most. */
async function acceptAll(db: Database, documents: readonly NewDocument[], triesLeft = 2): Promise<(Answer | Error)[]> {
  if (documents.length === 0) return [];
  const results = [...(await bisect(documents, (part) => acceptInOne(db, part)))];
  const isUnsure = (at: number): boolean => {
    const result = results[at];
    return result instanceof AcceptanceLimitReached && !result.isCertain;
  };
  const unsure = documents.filter((_, at) => isUnsure(at));
  if (unsure.length === 0 || triesLeft === 0) return results;
  await othersHaveEnded(db);
  // The others of the batch are accepted, whatever fails now.
  const again: (Answer | Error)[] = await acceptAll(db, unsure, triesLeft - 1).catch((failure: unknown) =>
    unsure.map(() => failure as Error),
  );
  return results.map((result, at) => (isUnsure(at) ? expectPresent(again.shift()) : result));
}

/** A replay is read when the transaction is over: it shows the job as it is now. */
async function answerOf(
  db: Database,
  result: Answer | Error,
  document: NewDocument | undefined,
): Promise<AcceptedDocument | Error> {
  if (result instanceof Error || 'job' in result) return result;
  const job = await getJob(db, expectPresent(document).tenantId, result.jobId);
  return { job: expectPresent(job ?? undefined), created: result.created, replayed: true };
}

/** What a document turns out to be: a job that exists, or a new revision. Several documents may be the same one. */
type Plan = KeyAnswer;

/** What a document is answered with, or the former answer to its key. */
type Answer = AcceptedDocument | KeyAnswer;

/** The newest revision of a document, as it stands or as this batch is about to open it. */
interface Latest {
  revision: number;
  jobId: string;
  contentSha256: string | null;
  analyses: readonly string[];
  state: JobState;
}

async function acceptInOne(db: Database, documents: readonly NewDocument[]): Promise<(Answer | Error)[]> {
  const room = acceptanceRoom(db);
  const tenantIds = [...new Set(documents.map(({ tenantId }) => tenantId))];
  try {
    await room.countWaiting(documents);
    return await db.writeAs(tenantIds, (tx) => acceptIn(tx, documents, { db, room }));
  } finally {
    room.end();
  }
}

async function acceptIn(
  tx: Queryable,
  documents: readonly NewDocument[],
  { db, room }: { db: Database; room: AcceptanceRoom },
): Promise<(Answer | Error)[]> {
  const claims = await claimsOf(tx, documents);
  const tenants = await knownTenants(
    db,
    tx,
    documents.map(({ tenantId }) => tenantId),
  );
  const [enabled, held] = await Promise.all([enabledAnalyses(tx), heldDocuments(tx, documents.map(documentKeyOf))]);
  const answers = documents.map((document, at) => {
    const answer = claims[at] ?? faultOf(document, tenants, enabled);
    return answer ?? (held.has(documentKey(documentKeyOf(document))) ? documentHeld() : null);
  });
  const sound = documents.filter((_, at) => answers[at] === null);
  await room.begin(tx, sound);
  const accepted = sound.length === 0 ? [] : await acceptSound(tx, sound, { enabled, room });
  reach('acceptance.before-commit');
  let next = 0;
  return answers.map((answer) => answer ?? expectPresent(accepted[next++]));
}

/** For each document what its key says; null when it has none, or a new one. */
async function claimsOf(tx: Queryable, documents: readonly NewDocument[]): Promise<KeyClaim[]> {
  const keyed = documents.filter(({ idempotency }) => idempotency !== null);
  const claims = await claimKeys(tx, keyed.flatMap(tenantKeyOf));
  let next = 0;
  return documents.map(({ idempotency }) => (idempotency === null ? null : (claims[next++] ?? null)));
}

const tenantKeyOf = ({ tenantId, idempotency }: NewDocument) =>
  idempotency === null ? [] : [{ tenantId, ...idempotency }];

interface Planning {
  enabled: readonly string[];
  room: AcceptanceRoom;
}

async function acceptSound(tx: Queryable, documents: readonly NewDocument[], planning: Planning) {
  const batch = await loadBatch(tx, documents);
  const { plans, openings } = planAll(batch, documents, planning);
  const early = await takeEarlyOutcomes(tx, openings);
  for (const opening of openings) open(batch, opening, early.byJob.get(opening.jobId) ?? []);
  await saveBatch(tx, batch, { ingested: true });
  const keyed = plans.flatMap((plan, at) => {
    if (plan instanceof Error) return [];
    return tenantKeyOf(expectPresent(documents[at])).map((key) => ({ ...key, ...plan }));
  });
  await storeKeyAnswers(tx, keyed);
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
  const locked = await lockDocuments(tx, documents.map(documentKeyOf));
  const known = [...locked.documents.values()].filter(({ latestRevision }) => latestRevision !== null);
  const latest = known.map(({ latestRevision, ...key }) => jobIdOf({ ...key, revision: latestRevision ?? 0 }));
  const records = await lockJobs(tx, [...latest, ...(await otherJobs(tx, locked, known))]);
  return { ...locked, records, events: [] };
}

function planAll(batch: Batch, documents: readonly NewDocument[], { enabled, room }: Planning) {
  const newest = new Map<string, Latest | null>();
  const openings: NewRevision[] = [];
  const plans = documents.map((document): Plan | PoisonMessage | AcceptanceLimitReached => {
    const key = documentKey(documentKeyOf(document));
    const latest = newest.get(key) ?? latestOf(batch, batch.documents.get(key));
    const analyses = resolveAnalyses(document.requestedAnalyses, enabled);
    if (latest !== null && isSame(latest, document, analyses)) return { jobId: latest.jobId, created: false };
    if (latest !== null && latest.revision >= revisionMax) return noRevisionLeft();
    const refusal = room.take(document);
    if (refusal !== null) return refusal;
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
  const key = documentKeyOf(document);
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
  return { job: viewOfRecord(expectPresent(records.get(jobId))), created, replayed: false };
}
