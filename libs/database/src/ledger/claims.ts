import type { Refused } from '@anabranch/failures';
import type { Queryable } from '../database.js';
import type { Operation } from './operation.js';
import { refused, type Pin, type RefusalCode } from './pins.js';

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
  | { readonly kind: 'not-wanted'; readonly refusal: Refused }
  /** The run was begun with another pin than the claim says, and asks something else by it. */
  | { readonly kind: 'pinned-otherwise'; readonly pin: Pin };

interface OperationRow extends Record<string, unknown> {
  key: string;
  state: 'leased' | 'free' | 'answered' | 'unknown';
  token: number;
  beat: number;
  answer: string | null;
  job_id: string;
  analysis: string;
  run: number;
}

const selectOperations = `
  SELECT encode(key, 'hex') AS key, state, token, beat, answer, job_id, analysis, run
  FROM operation WHERE key = ANY(SELECT decode(k, 'hex') FROM unnest($1::text[]) AS k)`;

interface ClaimedRow extends Record<string, unknown> {
  /** Of a claim for a run that is not wanted any more, or is pinned otherwise, its place; of all others the operation's key. */
  at: number | null;
  refusal: RefusalCode | null;
  choice: unknown;
  purchase: number | null;
  key: string | null;
  /** The token of a claim that was granted. */
  granted: number | null;
  is_taken_over: boolean | null;
  /** Of all others, how the operation stands. */
  state: OperationRow['state'] | null;
  token: number;
  beat: number;
  member: string;
  /** A bigint: as text. */
  incarnation: string;
  answer: string | null;
  job_id: string;
  analysis: string;
  run: number;
}

/**
 * Begins the runs of claims, unless they have begun, and answers the claims, in their order. Of several claims for one
 * operation at most one is granted, over all processes; the statement must be committed before the call is made.
 */
export async function claimOperations(
  db: Queryable,
  operations: readonly Operation[],
  holder: Holder,
): Promise<ClaimAnswer[]> {
  const claims = operations.map(claimRow);
  const parameters = [JSON.stringify(claims), holder.member, holder.incarnation];
  const rows = await db.query<ClaimedRow>('SELECT * FROM pin_and_claim($1, $2, $3)', parameters);
  const found = foundIn(rows);
  return operations.map(({ key }, at) => {
    return found.turnedAway.get(at) ?? answerTo(key, found, holder);
  });
}

function claimRow({ key, run, pin: { choice, purchase } }: Operation, at: number): object {
  const { tenantId, documentId, revision, jobId, analysis, run: number, isFresh } = run;
  return {
    at,
    key: byteaOf(key),
    tenant_id: tenantId,
    document_id: documentId,
    revision,
    job_id: jobId,
    analysis,
    run: number,
    is_fresh: isFresh,
    choice,
    purchase,
  };
}

interface Found {
  /** By the claim's place. */
  readonly turnedAway: ReadonlyMap<number, ClaimAnswer>;
  /** By key; taken out by the one claim that gets it. */
  readonly granted: Map<string, Grant>;
  readonly known: ReadonlyMap<string, ClaimedRow>;
}

function foundIn(rows: readonly ClaimedRow[]): Found {
  const turnedAway = new Map<number, ClaimAnswer>();
  const granted = new Map<string, Grant>();
  const known = new Map<string, ClaimedRow>();
  for (const row of rows) {
    const { at, refusal, choice, purchase } = row;
    if (at !== null && refusal !== null) turnedAway.set(at, { kind: 'not-wanted', refusal: refused(refusal) });
    else if (at !== null && purchase !== null)
      turnedAway.set(at, { kind: 'pinned-otherwise', pin: { choice, purchase } });
    else if (row.key === null) continue;
    else if (row.granted === null) known.set(row.key, row);
    else granted.set(row.key, { kind: 'granted', token: row.granted, isTakenOver: row.is_taken_over === true });
  }
  return { turnedAway, granted, known };
}

function answerTo(key: string, { granted, known }: Found, { member, incarnation }: Holder): ClaimAnswer {
  const grant = granted.get(key);
  if (grant !== undefined) {
    granted.delete(key);
    return grant;
  }
  const row = known.get(key);
  if (row !== undefined && row.answer !== null) return storedAnswer({ ...row, key, answer: row.answer });
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

/** A key as JSON has it for a `bytea`. */
export const byteaOf = (key: string): string => `\\x${key}`;

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
