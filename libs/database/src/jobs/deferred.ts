import { commandIdOf } from '@anabranch/contracts';
import { reach } from '@anabranch/failures/fail-points';
import type { Database, Queryable } from '../database.js';
import { closed } from '../job-states.js';
import { commandOutbox } from './commands.js';

/** A run of an analysis over a document. */
export interface RunAddress {
  readonly jobId: string;
  readonly analysis: string;
  readonly run: number;
}

/** How far waits grow, unless the failure asks for more. */
const longestWaitMs = 600_000;

/** Work that waits longer than is done in the queue of a consumer. */
export interface DeferredRun extends RunAddress {
  readonly tenantId: string;
  readonly documentId: string;
  /** Code of the failure that asked for the wait. */
  readonly reason: string;
  /** What it waits for, such as a provider and its model: what waits for the same thing is released together. */
  readonly dependency: string;
  /** When the run was asked for first, by the broker's clock in epoch milliseconds. */
  readonly askedAt: number;
  /** From now, in milliseconds: a duration, because clocks differ. Doubled with each release that came to nothing. */
  readonly waitMs: number;
}

/**
 * Keeps a run until its wait is over. Deferring it again moves the time. A run that was released before waits longer, so
 * that one which can never go well holds up the others of its dependency ever less often.
 * @param patienceMs how long after its first release it is still kept; unless given, for ever
 * @returns false when it is not kept any more
 * @throws DependencyUnavailable when Postgres does not answer
 */
export async function deferRun(db: Queryable, deferred: DeferredRun, patienceMs?: number): Promise<boolean> {
  const { jobId, analysis, run, tenantId, documentId, reason, dependency, askedAt, waitMs } = deferred;
  const kept = await db.query(
    `INSERT INTO deferred (job_id, analysis, run, tenant_id, document_id, reason, dependency, asked_at, release, deferred_at, due_at)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, released.times, now(),
            now() + greatest($9, least($9 * 2 ^ least(released.times, 10), $10)) * interval '1 millisecond'
     FROM (SELECT count(*) AS times, min(created_at) AS since FROM command
           WHERE job_id = $1 AND analysis = $2 AND run = $3 AND cause = 'RELEASED') AS released
     WHERE $11::bigint IS NULL OR released.since IS NULL
        OR released.since > now() - $11::bigint * interval '1 millisecond'
     ON CONFLICT (job_id, analysis, run)
     DO UPDATE SET reason = excluded.reason, dependency = excluded.dependency, due_at = excluded.due_at,
                   deferred_at = excluded.deferred_at, asked_at = coalesce(deferred.asked_at, excluded.asked_at)
     RETURNING run`,
    [
      jobId,
      analysis,
      run,
      tenantId,
      documentId,
      reason,
      dependency,
      new Date(askedAt).toISOString(),
      waitMs,
      longestWaitMs,
      patienceMs ?? null,
    ],
  );
  return kept.length > 0;
}

// Both times are rounded to the millisecond alike: what is due now is due. What was deferred in the future was so before the
// clock was set back: how long it has waited is not known, and it must not wait for the clock as well. One that is put
// right by less than a minute changes nothing.
const isDue = `(due_at <= now()::timestamptz(3) OR deferred_at > now() + interval '1 minute')`;

/** How many runs could be released now, by what they wait for. */
export async function dueDependencies(db: Queryable): Promise<Map<string, number>> {
  const rows = await db.query<{ dependency: string; count: number }>(
    `SELECT dependency, count(*)::integer AS count FROM deferred WHERE ${isDue} GROUP BY dependency`,
  );
  return new Map(rows.map(({ dependency, count }) => [dependency, count]));
}

interface ReleasedRow extends Record<string, unknown> {
  job_id: string;
  analysis: string;
  run: number;
  tenant_id: string;
  document_id: string;
  asked_at: Date | null;
  release: number;
  is_wanted: boolean;
}

/**
 * Releases runs whose wait is over, in turns over the tenants, as commands to their analyses with the same run. What is not
 * wanted any more, because its job was withdrawn or overtaken, is forgotten.
 */
export async function releaseRuns(
  db: Database,
  { dependency, limit }: { dependency: string; limit: number },
): Promise<RunAddress[]> {
  const released = await db.transaction(async (tx) => {
    const rows = await tx.query<ReleasedRow>(takeDue, [dependency, limit]);
    const wanted = rows.filter(({ is_wanted }) => is_wanted).map(commandOf);
    if (wanted.length > 0) {
      await tx.query(insertCommands, [JSON.stringify(wanted)]);
      await tx.query(insertOutbox, [commandOutbox, JSON.stringify(wanted)]);
    }
    return wanted;
  });
  if (released.length > 0) {
    reach('releases.committed');
    db.notify(commandOutbox);
  }
  return released.map(({ job_id: jobId, analysis, run }) => ({ jobId, analysis, run }));
}

// A job that is not open yet has no document to send along: it waits for its opening, too.
const takeDue = `
  WITH due AS (
    SELECT d.job_id, d.analysis, d.run, d.tenant_id,
           row_number() OVER (PARTITION BY d.tenant_id ORDER BY d.due_at, d.job_id) AS turn
    FROM deferred d JOIN job j ON j.id = d.job_id
    WHERE d.dependency = $1 AND ${isDue}
    ORDER BY turn, d.tenant_id LIMIT $2)
  DELETE FROM deferred d USING due, job j
  WHERE (d.job_id, d.analysis, d.run) = (due.job_id, due.analysis, due.run) AND j.id = d.job_id
  RETURNING d.job_id, d.analysis, d.run, d.tenant_id, d.document_id, d.asked_at, d.release,
            j.state NOT IN ${closed} AS is_wanted`;

function commandOf({ job_id, analysis, run, tenant_id, document_id, asked_at, release }: ReleasedRow) {
  const id = commandIdOf({ jobId: job_id, analysis, run, release: release + 1 });
  return { id, job_id, analysis, run, tenant_id, document_id, asked_at };
}

const insertCommands = `
  INSERT INTO command (id, job_id, tenant_id, analysis, run, cause, fresh, causation_id, asked_at)
  SELECT id, job_id, tenant_id, analysis, run, 'RELEASED', false, 'deferred', asked_at
  FROM json_to_recordset($1)
    AS c(id uuid, job_id uuid, tenant_id text, analysis text, run integer, asked_at timestamptz)
  ON CONFLICT DO NOTHING`;

const insertOutbox = `
  INSERT INTO outbox (topic, row_id, tenant_id, document_id)
  SELECT $1, id, tenant_id, document_id
  FROM json_to_recordset($2) AS c(id uuid, tenant_id text, document_id text)`;

/** What became of released runs. */
export interface ReleasedRuns {
  /** Whose wait began anew. */
  readonly deferredAgain: number;
  /** Of which nothing has been heard yet. */
  readonly pending: number;
}

/** What became of released runs: an outcome, one more wait, or nothing yet. */
export async function followReleased(db: Queryable, runs: readonly RunAddress[]): Promise<ReleasedRuns> {
  const [row] = await db.query<{ deferred_again: number; pending: number }>(
    `SELECT count(*) FILTER (WHERE is_deferred)::integer AS deferred_again,
            count(*) FILTER (WHERE NOT is_deferred AND NOT has_ended)::integer AS pending
     FROM (SELECT EXISTS (SELECT 1 FROM deferred d
                          WHERE (d.job_id, d.analysis, d.run) = (r.job_id, r.analysis, r.run)) AS is_deferred,
                  EXISTS (SELECT 1 FROM outcome o
                          WHERE (o.job_id, o.analysis, o.run) = (r.job_id, r.analysis, r.run)
                            AND o.status <> 'late') AS has_ended
           FROM json_to_recordset($1) AS r(job_id uuid, analysis text, run integer)) AS followed`,
    [JSON.stringify(runs.map(({ jobId, analysis, run }) => ({ job_id: jobId, analysis, run })))],
  );
  return { deferredAgain: row?.deferred_again ?? 0, pending: row?.pending ?? 0 };
}
