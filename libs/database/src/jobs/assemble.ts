import type { AnalysisFinished, DocumentIngested } from '@anabranch/contracts';
import { PoisonMessage } from '@anabranch/failures';
import { reach } from '@anabranch/failures/fail-points';
import type { Fact, Outcome } from '@anabranch/job';
import { bisect } from '../bisect.js';
import { enabledAnalyses } from '../catalogue/catalogue.js';
import type { Database, Queryable } from '../database.js';
import { open, tell, type Batch, type NewRevision } from './batch.js';
import { contentSha256Of } from './content.js';
import { distinctDocuments, documentKey, lockDocuments } from './documents.js';
import { firstRun, takeEarlyOutcomes } from './early-outcomes.js';
import { lockJobs, otherJobs } from './load.js';
import { insertOutcomes, isAboutText, outcomeOf, outcomeRow, type OutcomeRow } from './outcomes.js';
import { rejectionOf, resolveAnalyses } from './requested-analyses.js';
import { saveBatch, type SettledJob } from './save.js';
import { knownTenants, unknownTenant } from './tenants.js';

/**
 * A `document.ingested` that was read: complete (contracts' `completeIngested`), its text cleaned, `textSha256` filled in; that
 * stays empty only when the text cannot be read at all.
 */
export interface OpenedDocument {
  type: 'opened';
  event: DocumentIngested;
  /** The record's broker timestamp in epoch milliseconds: from it the deadline counts. */
  receivedAt: number;
  /** The deployment's deadline, for an event that names none. */
  defaultDeadlineMs: number;
  /** See `NewRevision`; null: the document's deadline. */
  graceMs: number | null;
  traceparent: string | null;
}

/** An outcome that was read from an analysis' topic. */
export interface RecordedOutcome {
  type: 'outcome';
  analysis: string;
  /** Full name and version of the result's schema. */
  resultSchema: string;
  event: AnalysisFinished;
}

export type AssemblyFact = OpenedDocument | RecordedOutcome;

/**
 * What became of a fact. `duplicate`: it was told before. `ignored`: an outcome about a text that is not the revision's.
 */
export type FactResult = 'recorded' | 'duplicate' | 'ignored';

export interface Assembled {
  /** One for each fact, in order; an Error is the answer to its fact alone. */
  results: readonly (FactResult | Error)[];
  settled: readonly SettledJob[];
  /** Outcomes that came before their job and do not count: about another text, or of a run that nobody asked for. */
  ignoredEarly: number;
}

/**
 * Adds facts to their jobs: opens jobs, records outcomes, settles what is complete; one transaction, or several where
 * Postgres refuses a fact's data. Telling a fact again changes nothing.
 * @throws DependencyUnavailable when Postgres does not answer: nothing, or all of it, was written. After a fact was refused it is
 *   the answer of those facts alone whose transaction it was
 */
export async function assemble(db: Database, facts: readonly AssemblyFact[]): Promise<Assembled> {
  const settled: SettledJob[] = [];
  let ignoredEarly = 0;
  const results = await bisect(facts, async (part) => {
    const assembled = await db.transaction((tx) => assembleIn(db, tx, part));
    reach('collection.committed');
    settled.push(...assembled.settled);
    ignoredEarly += assembled.ignoredEarly;
    return assembled.results;
  });
  if (settled.length > 0) db.notify('document.enriched');
  return { results, settled, ignoredEarly };
}

/** A fact's place in the batch, so that it can be answered. */
interface Told<F extends AssemblyFact = AssemblyFact> {
  fact: F;
  at: number;
}

/** What one transaction works on. */
interface Working {
  batch: Batch;
  results: (FactResult | Error)[];
  /** The jobs that this batch opens, by id. */
  openings: Map<string, NewRevision>;
}

async function assembleIn(db: Database, tx: Queryable, facts: readonly AssemblyFact[]): Promise<Assembled> {
  const tenantIds = facts.map(({ event }) => event.tenantId);
  const tenants = await knownTenants(db, tx, tenantIds);
  const results = tenantIds.map((id): FactResult | Error => (tenants.has(id) ? 'recorded' : unknownTenant()));
  const told = facts.map((fact, at) => ({ fact, at })).filter(({ at }) => results[at] === 'recorded');
  if (told.length === 0) return { results, settled: [], ignoredEarly: 0 };
  const working: Working = { batch: await loadBatch(tx, told), results, openings: new Map() };
  await planOpenings(tx, working, told.filter(isOpening));
  const outcomes = await storeOutcomes(tx, working, told.filter(isOutcome));
  const early = await takeEarlyOutcomes(tx, [...working.openings.values()]);
  for (const step of told) {
    if (isOpening(step)) tellOpening(working, step, early.byJob.get(step.fact.event.jobId) ?? []);
    else tellOutcome(working, outcomes.get(step.at));
  }
  const settled = await saveBatch(tx, working.batch, { ingested: false });
  reach('collection.before-commit');
  return { results, settled, ignoredEarly: early.ignored };
}

const isOpening = (step: Told): step is Told<OpenedDocument> => step.fact.type === 'opened';
const isOutcome = (step: Told): step is Told<RecordedOutcome> => step.fact.type === 'outcome';

/** Locks documents, then jobs; among these the ones that a newer revision takes the place of. */
async function loadBatch(tx: Queryable, told: readonly Told[]): Promise<Batch> {
  const locked = await lockDocuments(
    tx,
    told.map(({ fact }) => fact.event),
  );
  const newer = told.filter(isOpening).map(({ fact }) => fact.event);
  const overtaken = newer.filter((event) => {
    const latest = locked.documents.get(documentKey(event))?.latestRevision ?? null;
    return latest !== null && event.revision > latest;
  });
  const others = await otherJobs(tx, locked, distinctDocuments(overtaken));
  const records = await lockJobs(tx, [...told.map(({ fact }) => fact.event.jobId), ...others]);
  return { ...locked, records, events: [] };
}

/** Finds the jobs that this batch opens; conflicting revisions are answered here. */
async function planOpenings(
  tx: Queryable,
  { batch, results, openings }: Working,
  told: readonly Told<OpenedDocument>[],
): Promise<void> {
  const isNew = told.some(({ fact }) => !batch.records.has(fact.event.jobId));
  const enabled = isNew ? await enabledAnalyses(tx) : [];
  for (const { fact, at } of told) {
    const { jobId, textSha256 } = fact.event;
    const known = batch.records.get(jobId) ?? openings.get(jobId);
    if (known === undefined) openings.set(jobId, newRevision(fact, enabled));
    else if (!isAboutText(known.textSha256, textSha256)) results[at] = revisionConflict(fact.event);
  }
}

function newRevision(fact: OpenedDocument, enabled: readonly string[]): NewRevision {
  const { event, receivedAt, defaultDeadlineMs, traceparent } = fact;
  const deadlineMs = event.deadlineMs || defaultDeadlineMs;
  const requestedAnalyses = resolveAnalyses(event.requestedAnalyses, enabled);
  return {
    tenantId: event.tenantId,
    documentId: event.documentId,
    jobId: event.jobId,
    revision: event.revision,
    requestedAnalyses,
    rejection: rejectionOf(requestedAnalyses, enabled),
    deadlineAt: receivedAt + deadlineMs,
    graceMs: fact.graceMs ?? deadlineMs,
    // A text that cannot be read at all is nobody's content.
    contentSha256: event.textSha256 === '' ? null : contentSha256Of(event),
    textSha256: event.textSha256,
    text: event.text,
    textRef: event.textRef,
    traceparent,
    correlationId: event.correlationId,
    eventId: event.eventId,
    occurredAt: event.occurredAt,
    attributes: event,
  };
}

function revisionConflict({ revision }: DocumentIngested): PoisonMessage {
  const message = `Revision ${revision} of this document was accepted with another text; its text is set once.`;
  return new PoisonMessage('REVISION_CONFLICT', message);
}

/** Stores the outcomes that are about their revision's text. Returns the rows that are new, by the fact's place. */
async function storeOutcomes(
  tx: Queryable,
  { batch, results, openings }: Working,
  told: readonly Told<RecordedOutcome>[],
): Promise<Map<number, OutcomeRow>> {
  const byId = new Map<string, { row: OutcomeRow; at: number }>();
  for (const { fact, at } of told) {
    const row = rowOrAnswer(fact, knownJob(fact, batch, openings));
    if (row instanceof Error || typeof row === 'string') results[at] = row;
    else if (byId.has(`${row.id} ${row.text_sha256}`)) results[at] = 'duplicate';
    else byId.set(`${row.id} ${row.text_sha256}`, { row, at });
  }
  const candidates = [...byId.values()];
  const added = await insertOutcomes(
    tx,
    candidates.map(({ row }) => row),
  );
  for (const { row, at } of candidates) if (!added.has(row.id)) results[at] = 'duplicate';
  return new Map(candidates.filter(({ row }) => added.has(row.id)).map(({ row, at }) => [at, row]));
}

/** What an outcome is held against: its job, when that is known. */
interface KnownJob {
  textSha256: string;
  wantedRun: number;
}

function knownJob(
  { analysis, event: { jobId } }: RecordedOutcome,
  batch: Batch,
  openings: Working['openings'],
): KnownJob | null {
  const record = batch.records.get(jobId);
  const textSha256 = record?.textSha256 ?? openings.get(jobId)?.textSha256;
  if (textSha256 === undefined) return null;
  const analyses = record?.job.analyses ?? {};
  const wantedRun = Object.hasOwn(analyses, analysis) ? analyses[analysis]?.wantedRun : undefined;
  return { textSha256, wantedRun: wantedRun ?? firstRun };
}

/** The row to store; or the answer to an outcome that is not stored. */
function rowOrAnswer(
  { analysis, resultSchema, event }: RecordedOutcome,
  job: KnownJob | null,
): OutcomeRow | PoisonMessage | FactResult {
  try {
    const row = outcomeRow(analysis, resultSchema, event);
    if (job === null) return row;
    if (!isAboutText(job.textSha256, row.text_sha256)) return 'ignored';
    if (row.run > job.wantedRun) return neverAllocated(job);
    // The digest is part of the key: with the job's own, an outcome id is stored once.
    return { ...row, text_sha256: job.textSha256 };
  } catch (error) {
    if (error instanceof PoisonMessage) return error;
    throw error;
  }
}

function neverAllocated({ wantedRun }: KnownJob): PoisonMessage {
  return new PoisonMessage('INVALID_EVENT', `run must be at most ${wantedRun}: nobody asked for a later one.`);
}

function tellOpening(
  { batch, results, openings }: Working,
  { fact, at }: Told<OpenedDocument>,
  early: readonly Outcome[],
): void {
  if (results[at] instanceof Error) return;
  const { jobId, eventId } = fact.event;
  const opening = openings.get(jobId);
  const record = batch.records.get(jobId) ?? (opening && open(batch, opening, early));
  if (record !== undefined) tell(batch, { record, fact: { type: 'opened' }, causationId: eventId });
}

/** Outcomes of jobs that this batch opens are among the early ones: the opening tells them. */
function tellOutcome({ batch, openings }: Working, row: OutcomeRow | undefined): void {
  if (row === undefined || openings.has(row.job_id)) return;
  const record = batch.records.get(row.job_id);
  if (record === undefined) return;
  const latestRevision = batch.documents.get(documentKey(record))?.latestRevision ?? null;
  const fact: Fact = { type: 'outcomesRecorded', outcomes: [outcomeOf(row)], latestRevision };
  tell(batch, { record, fact, causationId: row.event_id });
}
