import type { Refused } from '@anabranch/failures';
import type { Queryable } from '../database.js';
import type { Operation } from './operation.js';
import { unwantedRuns } from './pins.js';

/** A process that buys. Of one member's processes, the one with the higher incarnation is the newer. */
export interface Holder {
  /** Stable over restarts, one per replica. */
  readonly member: string;
  readonly incarnation: number;
}

/** An answer as it is stored. */
export interface StoredAnswer {
  readonly kind: 'answered';
  /** As it was given to be stored. */
  readonly answer: string;
  /** Who bought it. */
  readonly boughtBy: { readonly jobId: string; readonly analysis: string; readonly run: number };
}

/** The call may be made. */
export interface Grant {
  readonly kind: 'granted';
  /** Stands for this grant alone. */
  readonly token: number;
  /** Whether somebody had it before who never said how his call ended. */
  readonly isTakenOver: boolean;
}

/** What a claim is answered with (architecture §6). */
export type ClaimAnswer =
  | Grant
  | StoredAnswer
  /** Somebody is buying it. While `beat` rises he is alive. `isOwn`: this very process, as far as the store knows. */
  | { readonly kind: 'in-flight'; readonly token: number; readonly beat: number; readonly isOwn: boolean }
  /** A call may have been made whose answer nobody has, and it must not be repeated. */
  | { readonly kind: 'unknown' }
  /** Not before so long, and why: a budget, a rate, a breaker. Nothing gives it yet: these are still to come. */
  | { readonly kind: 'not-now'; readonly afterMs: number; readonly reason: 'BUDGET' | 'RATE' | 'BREAKER' }
  | { readonly kind: 'not-wanted'; readonly refusal: Refused };

interface OperationRow extends Record<string, unknown> {
  key: string;
  state: 'leased' | 'free' | 'answered' | 'unknown';
  token: number;
  beat: number;
  answer: string | null;
  member: string;
  /** A bigint: as text. */
  incarnation: string;
  job_id: string;
  analysis: string;
  run: number;
}

const claimRows = `json_to_recordset($1) AS c(key text, tenant_id text, job_id uuid, analysis text, run integer)`;

// A claim for an operation that nobody has asked for yet.
const grantNew = `
  INSERT INTO operation (key, tenant_id, state, token, beat, member, incarnation, job_id, analysis, run)
  SELECT decode(c.key, 'hex'), c.tenant_id, 'leased', 1, 0, $2, $3, c.job_id, c.analysis, c.run
  FROM ${claimRows}
  ORDER BY 1
  ON CONFLICT DO NOTHING
  RETURNING encode(key, 'hex') AS key, token, false AS "isTakenOver"`;

// One that was given back, or that an earlier process of this very member holds.
const grantAgain = `
  UPDATE operation o SET state = 'leased', token = o.token + 1, beat = 0, member = $2, incarnation = $3,
    job_id = c.job_id, analysis = c.analysis, run = c.run
  FROM (SELECT o.key, o.state AS was, c.job_id, c.analysis, c.run
        FROM ${claimRows} JOIN operation o ON o.key = decode(c.key, 'hex')
        WHERE o.state = 'free' OR (o.state = 'leased' AND o.member = $2 AND o.incarnation < $3)
        ORDER BY o.key
        FOR UPDATE OF o) AS c
  WHERE o.key = c.key
  RETURNING encode(o.key, 'hex') AS key, o.token, c.was = 'leased' AS "isTakenOver"`;

const selectOperations = `
  SELECT encode(key, 'hex') AS key, state, token, beat, answer, member, incarnation, job_id, analysis, run
  FROM operation WHERE key = ANY(SELECT decode(k, 'hex') FROM unnest($1::text[]) AS k)`;

const noteUses = `
  INSERT INTO operation_use (job_id, key)
  SELECT DISTINCT c.job_id, decode(c.key, 'hex') FROM ${claimRows}
  ORDER BY 1, 2
  ON CONFLICT DO NOTHING`;

const noteWaiting = `
  UPDATE operation SET is_waited_for = true
  WHERE key IN (SELECT key FROM operation
                WHERE key = ANY(SELECT decode(k, 'hex') FROM unnest($1::text[]) AS k) AND NOT is_waited_for
                ORDER BY key FOR UPDATE)`;

/**
 * Answers claims, in their order. Of several claims for one operation at most one is granted, over all processes; the
 * transaction must be committed before the call is made.
 */
export async function claimOperations(
  tx: Queryable,
  operations: readonly Operation[],
  holder: Holder,
): Promise<ClaimAnswer[]> {
  const unwanted = await unwantedRuns(
    tx,
    operations.map(({ run }) => run),
  );
  const wanted = operations.filter((_, at) => unwanted[at] === null);
  const found = wanted.length === 0 ? noClaims() : await claimWanted(tx, wanted, holder);
  return operations.map(({ key }, at) => {
    const refusal = unwanted[at];
    return refusal ? { kind: 'not-wanted', refusal } : answerTo(key, found, holder);
  });
}

interface Claimed {
  /** By key; taken out by the one claim that gets it. */
  readonly granted: Map<string, Grant>;
  readonly known: ReadonlyMap<string, OperationRow>;
}

const noClaims = (): Claimed => ({ granted: new Map(), known: new Map() });

async function claimWanted(tx: Queryable, operations: readonly Operation[], holder: Holder): Promise<Claimed> {
  const byKey = new Map(operations.map((operation) => [operation.key, operation]));
  const parameters = [JSON.stringify([...byKey.values()].map(rowOf)), holder.member, holder.incarnation];
  const granted = new Map<string, Grant>();
  for (const sql of [grantNew, grantAgain]) {
    if (granted.size === byKey.size) break;
    const rows = await tx.query<Omit<Grant, 'kind'> & { key: string }>(sql, parameters);
    for (const { key, ...grant } of rows) granted.set(key, { kind: 'granted', ...grant });
  }
  const others = [...byKey.keys()].filter((key) => !granted.has(key));
  const rows = others.length === 0 ? [] : await tx.query<OperationRow>(selectOperations, [others]);
  const inFlight = rows.filter(({ state }) => state === 'leased').map(({ key }) => key);
  if (inFlight.length > 0) await tx.query(noteWaiting, [inFlight]);
  await tx.query(noteUses, [JSON.stringify(operations.map(rowOf))]);
  return { granted, known: new Map(rows.map((row) => [row.key, row])) };
}

function rowOf({ key, run: { tenantId, jobId, analysis, run } }: Operation): object {
  return { key, tenant_id: tenantId, job_id: jobId, analysis, run };
}

function answerTo(key: string, { granted, known }: Claimed, { member, incarnation }: Holder): ClaimAnswer {
  const grant = granted.get(key);
  if (grant !== undefined) {
    granted.delete(key);
    return grant;
  }
  const row = known.get(key);
  if (row !== undefined && row.answer !== null) return storedAnswer({ ...row, answer: row.answer });
  if (row?.state === 'unknown') return { kind: 'unknown' };
  // Also what this batch has just granted to another claim, and what was given back a moment ago: look again soon.
  const isOwn = row?.state === 'leased' && row.member === member && Number(row.incarnation) === incarnation;
  return { kind: 'in-flight', token: row?.token ?? 0, beat: row?.beat ?? 0, isOwn };
}

export type AnsweredRow = Pick<OperationRow, 'key' | 'job_id' | 'analysis' | 'run'> & { answer: string };

/** A stored answer, as callers get it. */
export function storedAnswer({ answer, job_id: jobId, analysis, run }: AnsweredRow): StoredAnswer {
  return { kind: 'answered', answer, boughtBy: { jobId, analysis, run } };
}

/** How an operation stands; undefined when there is none. */
export interface OperationState {
  readonly state: OperationRow['state'];
  readonly token: number;
  readonly beat: number;
  readonly answer: StoredAnswer | null;
}

/** How operations stand, by key. */
export async function readOperations(db: Queryable, keys: readonly string[]): Promise<Map<string, OperationState>> {
  const rows = await db.query<OperationRow>(selectOperations, [keys]);
  return new Map(
    rows.map((row) => {
      const answer = row.answer === null ? null : storedAnswer({ ...row, answer: row.answer });
      return [row.key, { state: row.state, token: row.token, beat: row.beat, answer }];
    }),
  );
}
