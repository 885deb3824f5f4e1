import type { EntityManager } from 'typeorm';
import type { Database, Queryable } from '../database.js';
import { unsettled } from '../job-states.js';
import { commandOutbox } from './commands.js';
import { JobEntity } from './entities.js';
import type { JobView } from './job-view.js';
import { isUuid, viewsOf } from './read-jobs.js';
import { resultOfJob, type JobResult } from './read-result.js';

/** An event that is committed, and not on Kafka yet. */
export interface UnpublishedEvent {
  /** Events of the tenant that go before it. */
  ahead: number;
  /** Jobs of the tenant that are published and unsettled. */
  outstanding: number;
}

/** A run that waits longer than is done in the queue of a consumer. */
export interface Deferral {
  /** Code of the failure that asked for the wait. */
  reason: string;
  /** What it waits for, such as a provider and its model. */
  dependency: string;
  dueAt: Date;
  /** How often it was released before. */
  releases: number;
}

/** What an analysis has been through, of which no outcome of the wanted run is here. */
export interface OutstandingRun {
  run: number;
  deferral: Deferral | null;
  /** The last command for this run; null when it was asked for by `document.ingested`. */
  command: { cause: string; at: Date; isPublished: boolean } | null;
  /** When an analysis that asks a model has begun with it. */
  begunAt: Date | null;
  /** Of its questions to a model, those that are answered, and those that somebody is asking now. */
  calls: { answered: number; underWay: number };
}

/** Why a job is as it is, as far as Postgres knows. One snapshot. */
export interface JobReasons {
  /** Postgres' time. */
  now: Date;
  job: JobView;
  result: JobResult;
  /** `document.ingested`, while it waits to be published. */
  unpublished: UnpublishedEvent | null;
  /** Why an event of the job can never be published. */
  keptAside: string | null;
  /** The last settlement waits to be published. */
  isSettlementUnpublished: boolean;
  /** Analyses whose wanted run has no outcome, or is late only. */
  outstanding: Record<string, OutstandingRun>;
}

/** Why the job is as it is; null when this tenant has none of that id. */
export async function getReasons(db: Database, tenantId: string, jobId: string): Promise<JobReasons | null> {
  if (!isUuid(jobId)) return null;
  return db.readAs(tenantId, async (entities, rows) => {
    const found = await entities.findBy(JobEntity, { id: jobId, tenantId });
    const [entity] = found;
    const [job] = await viewsOf(entities, found);
    return entity && job ? reasonsOf({ entities, rows }, entity, job) : null;
  });
}

interface Reader {
  entities: EntityManager;
  rows: Queryable;
}

async function reasonsOf({ entities, rows }: Reader, entity: JobEntity, job: JobView): Promise<JobReasons> {
  const { id, tenantId } = entity;
  const [outbox] = await rows.query<OutboxRow>(selectOutbox, [id, tenantId]);
  const runs = await rows.query<RunRow>(selectRuns, [id, commandOutbox]);
  return {
    now: outbox?.now ?? new Date(),
    job,
    result: await resultOfJob(entities, entity),
    unpublished: outbox?.number ? await unpublishedOf(rows, { tenantId, number: outbox.number }) : null,
    keptAside: outbox?.failure ?? null,
    isSettlementUnpublished: outbox?.is_settlement_unpublished ?? false,
    outstanding: Object.fromEntries(runs.map((row) => [row.analysis, outstandingRun(row)])),
  };
}

interface OutboxRow extends Record<string, unknown> {
  now: Date;
  number: string | null;
  failure: string | null;
  is_settlement_unpublished: boolean;
}

const selectOutbox = `
  SELECT now() AS now,
         (SELECT number FROM outbox WHERE topic = 'document.ingested' AND tenant_id = $2 AND row_id = $1) AS number,
         (SELECT failure FROM outbox_failure WHERE job_id = $1 ORDER BY number DESC LIMIT 1) AS failure,
         EXISTS (SELECT FROM settlement s JOIN outbox o ON o.topic = 'document.enriched' AND o.row_id = s.id
                 WHERE s.job_id = $1) AS is_settlement_unpublished`;

async function unpublishedOf(
  rows: Queryable,
  { tenantId, number }: { tenantId: string; number: string },
): Promise<UnpublishedEvent> {
  const [counted] = await rows.query<{ ahead: number; waiting: number; unsettled: number }>(
    `SELECT count(*) FILTER (WHERE number < $2)::integer AS ahead, count(*)::integer AS waiting,
            (SELECT count(*)::integer FROM job
             WHERE tenant_id = $1 AND state IN ${unsettled}) AS unsettled
     FROM outbox WHERE topic = 'document.ingested' AND tenant_id = $1`,
    [tenantId, number],
  );
  const { ahead = 0, waiting = 0, unsettled: all = 0 } = counted ?? {};
  return { ahead, outstanding: Math.max(0, all - waiting) };
}

interface RunRow extends Record<string, unknown> {
  analysis: string;
  run: number;
  reason: string | null;
  dependency: string;
  due_at: Date;
  release: number;
  cause: string | null;
  commanded_at: Date;
  is_published: boolean;
  begun_at: Date | null;
  answered: number;
  under_way: number;
}

const selectRuns = `
  SELECT a.analysis, a.wanted_run AS run, d.reason, d.dependency, d.due_at, d.release, c.cause,
         c.created_at AS commanded_at, c.is_published, p.pinned_at AS begun_at, q.answered, q.under_way
  FROM job_analysis a
  LEFT JOIN deferred d ON (d.job_id, d.analysis, d.run) = (a.job_id, a.analysis, a.wanted_run)
  LEFT JOIN pin p ON (p.job_id, p.analysis, p.run) = (a.job_id, a.analysis, a.wanted_run)
  LEFT JOIN LATERAL (
    SELECT c.cause, c.created_at,
           NOT EXISTS (SELECT FROM outbox o WHERE o.topic = $2 AND o.row_id = c.id) AS is_published
    FROM command c WHERE (c.job_id, c.analysis, c.run) = (a.job_id, a.analysis, a.wanted_run)
    ORDER BY c.created_at DESC LIMIT 1) AS c ON true
  CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE o.state = 'answered')::integer AS answered,
           count(*) FILTER (WHERE o.state = 'leased')::integer AS under_way
    FROM operation_use u JOIN operation o ON o.key = u.key
    WHERE u.job_id = a.job_id AND o.analysis = a.analysis) AS q
  WHERE a.job_id = $1
    AND NOT EXISTS (SELECT FROM outcome o
                    WHERE o.job_id = a.job_id AND o.analysis = a.analysis AND o.run = a.wanted_run
                      AND o.status <> 'late')`;

function outstandingRun(row: RunRow): OutstandingRun {
  const { run, reason, dependency, due_at, release, cause, commanded_at, is_published, begun_at } = row;
  return {
    run,
    deferral: reason === null ? null : { reason, dependency, dueAt: due_at, releases: release },
    command: cause === null ? null : { cause, at: commanded_at, isPublished: is_published },
    begunAt: begun_at,
    calls: { answered: row.answered, underWay: row.under_way },
  };
}
