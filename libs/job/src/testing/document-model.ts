import { jobIdOf } from '@anabranch/contracts';
import { decide, evolve, isSettled, openingOf, type Fact, type Job, type JobEvent, type Outcome } from '../index.js';

/** What can be told of a document, in any order and any number of times. */
export type DocumentFact =
  /** Accepted over HTTP: `document.ingested` was not read yet. */
  | { type: 'accepted'; revision: number; requestedAnalyses: readonly string[] }
  /** `document.ingested` was read: opens the job, too, when nobody had accepted it. */
  | { type: 'opened'; revision: number; requestedAnalyses: readonly string[] }
  | { type: 'outcome'; revision: number; outcome: Outcome };

/** A document and its jobs by revision. */
export interface DocumentModel {
  latestRevision: number | null;
  jobs: Map<number, Job>;
  histories: Map<number, JobEvent[]>;
  /** Outcomes whose job is not open yet. */
  early: Map<number, Outcome[]>;
  /** Outcome ids that were stored: the same id counts once. */
  known: Set<string>;
}

/** Whose document the model is of. */
export interface DocumentKey {
  tenantId: string;
  documentId: string;
}

/** The pure fold that the database must agree with: same facts, same order, same jobs and same histories. */
export function foldDocument(key: DocumentKey, facts: readonly DocumentFact[]): DocumentModel {
  const model: DocumentModel = {
    latestRevision: null,
    jobs: new Map(),
    histories: new Map(),
    early: new Map(),
    known: new Set(),
  };
  for (const fact of facts) {
    if (fact.type === 'outcome') recordOutcome(model, fact.revision, fact.outcome);
    else acceptRevision(model, jobIdOf({ ...key, revision: fact.revision }), fact);
  }
  return model;
}

function acceptRevision(model: DocumentModel, jobId: string, fact: Exclude<DocumentFact, { type: 'outcome' }>): void {
  const { revision, requestedAnalyses } = fact;
  if (!model.jobs.has(revision)) {
    tell(model, revision, { type: 'accepted', jobId, revision, requestedAnalyses, deadlineAt: 0 });
    const unsettled = [...model.jobs].filter(([, job]) => !isSettled(job.state));
    const running = unsettled.map(([other, job]) => ({ jobId: job.id, revision: other }));
    // Time stands still here, so no grace is ever over.
    const before = { latestRevision: model.latestRevision, running, unpublishedForMs: 0, graceMs: 1 };
    const { own, overtaken } = openingOf(revision, before);
    own.forEach((consequence) => tell(model, revision, consequence));
    const older = running.filter((job) => overtaken.includes(job.jobId));
    older.forEach((job) => tell(model, job.revision, { type: 'newerRevisionOpened', revision }));
    model.latestRevision = Math.max(revision, model.latestRevision ?? revision);
    const early = model.early.get(revision) ?? [];
    tell(model, revision, { type: 'outcomesRecorded', outcomes: early });
  }
  if (fact.type === 'opened') tell(model, revision, { type: 'opened' });
}

function recordOutcome(model: DocumentModel, revision: number, outcome: Outcome): void {
  if (model.known.has(outcome.outcomeId)) return;
  model.known.add(outcome.outcomeId);
  if (model.jobs.has(revision)) tell(model, revision, { type: 'outcomesRecorded', outcomes: [outcome] });
  else model.early.set(revision, [...(model.early.get(revision) ?? []), outcome]);
}

function tell(model: DocumentModel, revision: number, fact: Fact): void {
  const job = model.jobs.get(revision) ?? null;
  const events = decide(job, fact);
  const after = events.reduce<Job | null>(evolve, job);
  if (after !== null) model.jobs.set(revision, after);
  model.histories.set(revision, [...(model.histories.get(revision) ?? []), ...events]);
}
