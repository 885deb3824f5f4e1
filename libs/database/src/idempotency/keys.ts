// The keys of the HTTP API (draft-ietf-httpapi-idempotency-key-header). A key is stored in the transaction that accepts its
// document: after a crash it is there exactly when the document is.
import { keyWithin } from '@anabranch/contracts';
import { reach } from '@anabranch/failures/fail-points';
import type { Database, Queryable } from '../database.js';

/** What makes two requests one: the caller's key, and a hash over all that was sent. */
export interface IdempotencyKey {
  key: string;
  /** Lower-case hex. */
  requestSha256: string;
}

/** A key of a tenant: tenants do not see each other's. */
export interface TenantKey extends IdempotencyKey {
  tenantId: string;
}

/** What the first request of a key was answered with. */
export interface KeyAnswer {
  jobId: string;
  /** Whether it made the job, or found it. */
  created: boolean;
}

/** The first request of the key is not answered yet: nothing happened now, and the same request may be sent again. */
export class IdempotencyKeyInUse extends Error {
  override readonly name = 'IdempotencyKeyInUse';
}

/** The key was used for another request. */
export class IdempotencyKeyReused extends Error {
  override readonly name = 'IdempotencyKeyReused';
}

/** What a key turns out to be; null: it is new, and this transaction's alone until it ends. */
export type KeyClaim = KeyAnswer | IdempotencyKeyInUse | IdempotencyKeyReused | null;

/** Seeds the hashes under which keys are locked. */
const keyLocks = 7_262_420;

interface StoredRow extends Record<string, unknown> {
  tenant_id: string;
  key: string;
  request_sha256: string;
  job_id: string;
  created: boolean;
}

/**
 * Claims the keys for this transaction, over all processes: whoever else has one of them now is answered before it is free.
 * Nobody waits, so nothing can deadlock. Gives a claim for each key, in order; of equal keys the first counts.
 */
export async function claimKeys(tx: Queryable, keys: readonly TenantKey[]): Promise<KeyClaim[]> {
  if (keys.length === 0) return [];
  const names = keys.map(nameOf);
  const distinct = [...new Set(names)];
  const locks = await tx.query<{ name: string; locked: boolean }>(
    `SELECT name, pg_try_advisory_xact_lock(hashtextextended(name, $1)) AS locked FROM unnest($2::text[]) AS name`,
    [keyLocks, distinct],
  );
  const locked = new Set(locks.filter((lock) => lock.locked).map(({ name }) => name));
  // A statement of its own: its snapshot is younger than the locks, so it sees what their former holders have committed.
  const stored = await readStored(tx, keys);
  return keys.map((key, at) =>
    claimOf(key, { stored, isOurs: locked.has(nameOf(key)) && names.indexOf(nameOf(key)) === at }),
  );
}

function claimOf(key: TenantKey, { stored, isOurs }: { stored: Map<string, StoredRow>; isOurs: boolean }): KeyClaim {
  const row = stored.get(nameOf(key));
  if (row !== undefined) {
    if (row.request_sha256 !== key.requestSha256)
      return new IdempotencyKeyReused('The key was used for another request.');
    return { jobId: row.job_id, created: row.created };
  }
  return isOurs ? null : new IdempotencyKeyInUse('The first request of the key is not answered yet.');
}

async function readStored(tx: Queryable, keys: readonly TenantKey[]): Promise<Map<string, StoredRow>> {
  const rows = await tx.query<StoredRow>(
    `SELECT k.tenant_id, k.key, k.request_sha256, k.job_id, k.created
     FROM unnest($1::text[], $2::text[]) AS w(tenant_id, key) JOIN idempotency_key k USING (tenant_id, key)`,
    [keys.map(({ tenantId }) => tenantId), keys.map(({ key }) => key)],
  );
  return new Map(rows.map((row) => [nameOf({ tenantId: row.tenant_id, key: row.key }), row]));
}

/**
 * Whether the key's first request was answered: whatever comes with it now is told so, also beside others. As the writer,
 * since the role that reads sees no keys.
 * @throws DependencyUnavailable when Postgres does not answer
 */
export function isKeyAnswered(db: Database, { tenantId, key }: Pick<TenantKey, 'tenantId' | 'key'>): Promise<boolean> {
  return db.writeAs([tenantId], async (tx) => {
    const rows = await tx.query('SELECT 1 FROM idempotency_key WHERE tenant_id = $1 AND key = $2', [tenantId, key]);
    return rows.length > 0;
  });
}

/** Stores what keys that were claimed are answered with. */
export async function storeKeyAnswers(tx: Queryable, answers: readonly (TenantKey & KeyAnswer)[]): Promise<void> {
  if (answers.length === 0) return;
  await tx.query(
    `INSERT INTO idempotency_key (tenant_id, key, request_sha256, job_id, created)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::boolean[])`,
    [
      answers.map(({ tenantId }) => tenantId),
      answers.map(({ key }) => key),
      answers.map(({ requestSha256 }) => requestSha256),
      answers.map(({ jobId }) => jobId),
      answers.map(({ created }) => created),
    ],
  );
}

/** Most keys that one statement forgets: it must not hold up what goes on beside it. */
const sweepRows = 10_000;

/**
 * Forgets keys that are older than `keptMs`, by the database's clock. Returns how many.
 * @throws DependencyUnavailable when Postgres does not answer
 */
export async function sweepIdempotencyKeys(db: Queryable, keptMs: number): Promise<number> {
  for (let swept = 0; ;) {
    const rows = await db.query(
      `DELETE FROM idempotency_key WHERE (tenant_id, key) IN (
         SELECT tenant_id, key FROM idempotency_key
         WHERE created_at < now() - $1 * interval '1 millisecond' ORDER BY created_at LIMIT $2)
       RETURNING true`,
      [keptMs, sweepRows],
    );
    swept += rows.length;
    reach('keys.forgotten');
    if (rows.length < sweepRows) return swept;
  }
}

function nameOf({ tenantId, key }: Pick<TenantKey, 'tenantId' | 'key'>): string {
  return keyWithin(tenantId, key);
}
