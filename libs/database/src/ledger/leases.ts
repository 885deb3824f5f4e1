import type { Queryable } from '../database.js';
import { byteaOf, storedAnswer, type AnsweredRow, type Grant, type Holder, type StoredAnswer } from './claims.js';
import type { LedgerRun } from './operation.js';

/** A grant that is held: the operation and the token that came with it. */
export interface Lease {
  readonly key: string;
  readonly token: number;
}

const leaseRows = `json_to_recordset($1) AS l(key text, token integer)`;

/** Says that the holder of these leases is alive. Leases that were taken over are left alone. */
export async function beat(db: Queryable, leases: readonly Lease[]): Promise<void> {
  await db.query(
    `UPDATE operation SET beat = beat + 1
     WHERE key IN (SELECT o.key FROM ${leaseRows}
                   JOIN operation o ON o.key = decode(l.key, 'hex') AND o.token = l.token AND o.state = 'leased'
                   ORDER BY o.key FOR UPDATE OF o)`,
    [JSON.stringify(leases)],
  );
}

/** Of these operations, those that only cancelled jobs would use. */
export async function cancelledOperations(db: Queryable, keys: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ key: string }>(
    `SELECT encode(u.key, 'hex') AS key
     FROM operation_use u LEFT JOIN job j ON j.id = u.job_id
     WHERE u.key = ANY(SELECT decode(k, 'hex') FROM unnest($1::text[]) AS k)
     GROUP BY u.key HAVING bool_and(j.state IS NOT DISTINCT FROM 'cancelled')`,
    [keys],
  );
  return rows.map(({ key }) => key);
}

/** Gives a lease back after a call that has no answer. */
export async function release(db: Queryable, { key, token }: Lease): Promise<void> {
  await db.query(
    `UPDATE operation SET state = 'free' WHERE key = decode($1, 'hex') AND token = $2 AND state = 'leased'`,
    [key, token],
  );
}

/** Notes that the call of a lease may have been made, and must not be made again. */
export async function markUnknown(db: Queryable, { key, token }: Lease): Promise<void> {
  await db.query(
    `UPDATE operation SET state = 'unknown' WHERE key = decode($1, 'hex') AND token = $2 AND state = 'leased'`,
    [key, token],
  );
}

interface TakeOver extends Lease {
  /** As it was seen, and had not changed since. */
  readonly beat: number;
  readonly run: LedgerRun;
}

/** Takes a lease whose holder has shown no life. Null when it has moved meanwhile: then look again. */
export async function takeOver(
  db: Queryable,
  { key, token, beat: seen, run }: TakeOver,
  { member, incarnation }: Holder,
): Promise<Grant | null> {
  const [row] = await db.query<{ token: number }>(
    `UPDATE operation SET token = token + 1, beat = 0, member = $4, incarnation = $5, job_id = $6, analysis = $7, run = $8
     WHERE key = decode($1, 'hex') AND token = $2 AND beat = $3 AND state = 'leased'
     RETURNING token`,
    [key, token, seen, member, incarnation, run.jobId, run.analysis, run.run],
  );
  return row === undefined ? null : { kind: 'granted', token: row.token, isTakenOver: true };
}

/** An answer to store. */
export interface Answer {
  readonly key: string;
  readonly run: LedgerRun;
  readonly answer: string;
}

export interface Stored {
  /** What the store has, by key: the first answer wins, whoever held the lease. */
  readonly answers: ReadonlyMap<string, StoredAnswer>;
  /** Operations whose answer somebody in another process waits for. */
  readonly waitedFor: readonly string[];
}

interface StoredRow extends AnsweredRow, Record<string, unknown> {
  /** By somebody in another process, and the answer is new. */
  is_waited_for: boolean;
}

/** Stores answers, write-once: every caller goes on with what is returned. */
export async function storeAnswers(db: Queryable, answers: readonly Answer[]): Promise<Stored> {
  const rows = answers.map(({ key, answer, run: { jobId, analysis, run } }) => {
    return { key: byteaOf(key), answer, job_id: jobId, analysis, run };
  });
  const stored = await db.query<StoredRow>('SELECT * FROM store_answers($1)', [JSON.stringify(rows)]);
  return {
    answers: new Map(stored.map((row) => [row.key, storedAnswer(row)])),
    waitedFor: stored.filter(({ is_waited_for }) => is_waited_for).map(({ key }) => key),
  };
}
