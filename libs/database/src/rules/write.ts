// Versions are immutable: a change is one more row. Numbers and times are given under a lock, so that both rise together.
import { createHash } from 'node:crypto';
import type { Database, Queryable } from '../database.js';
import { getRules, type RulesKey, type RulesKind, type RulesVersionInfo } from './read.js';

/** Most ids that a tenant may have of one kind. */
export const maxRulesPerKind = 100;

/**
 * Largest sum of a tenant's newest definitions of one kind, in bytes of JSON. All gazetteers of a tenant are in force at
 * once, and take some thirty times as much memory when they are ready to be looked for.
 */
export const maxRulesBytes: Readonly<Record<RulesKind, number>> = {
  taxonomy: 8_388_608,
  ruleset: 8_388_608,
  gazetteer: 2_097_152,
};

/** Somebody changed the rules since the caller has read them. */
export class RulesVersionMoved extends Error {
  override readonly name = 'RulesVersionMoved';

  /** @param current the newest version; null when there are no rules of this id */
  constructor(readonly current: number | null) {
    super('The newest version is not the expected one.');
  }
}

/** The tenant would have more of this kind than it may, in number or in bytes. */
export class TooManyRules extends Error {
  override readonly name = 'TooManyRules';

  constructor(
    readonly limit: number,
    readonly unit: 'rules' | 'bytes',
  ) {
    super(`A tenant may have ${limit} ${unit} of one kind.`);
  }
}

/** Who changes which rules, and when that counts. */
export interface RulesChange extends RulesKey {
  /** Id of the API key that says so. */
  keyId: string;
  /** From now until the change is in force. Longer than any reader's cache lives. */
  delayMs: number;
  /** The version that must be the newest; 'any': there must be one; 0: there must be none. Unless given, all is well. */
  expectedVersion?: number | 'any' | undefined;
}

export interface StoredVersion extends RulesVersionInfo {
  /** False when the newest version said the same already. */
  created: boolean;
}

/**
 * Stores a version, which must be valid, as JSON. Where the newest one says the same, nothing changes.
 * @throws RulesVersionMoved, TooManyRules, DependencyUnavailable: whether it was stored is then unknown, and sending it
 *   again finds out
 */
export async function putRules(db: Database, rules: RulesChange & { definition: object }): Promise<StoredVersion> {
  const stored = await change(db, rules, JSON.stringify(rules.definition));
  if (stored === null) throw new Error('What was stored in this transaction must be there.');
  return stored;
}

/**
 * Withdraws rules, as one more version that says nothing; null when there are none.
 * @throws RulesVersionMoved, DependencyUnavailable
 */
export function withdrawRules(db: Database, rules: RulesChange): Promise<StoredVersion | null> {
  return change(db, rules, null);
}

function change(db: Database, rules: RulesChange, definition: string | null): Promise<StoredVersion | null> {
  return db.writeAs([rules.tenantId], async (tx) => {
    await lock(tx, rules);
    const newest = await newestOf(tx, rules);
    expectVersion(rules, newest);
    const digest = definition === null ? null : createHash('sha256').update(definition).digest('hex');
    const created = (newest?.digest ?? null) !== digest;
    if (created) await insert(tx, rules, { newest, definition, digest });
    const stored = await getRules(tx, rules);
    if (stored === null) return null;
    const { definition: _, ...info } = stored;
    return { ...info, created };
  });
}

interface Newest {
  version: number;
  effectiveFrom: Date;
  /** Of the definition; null when the version withdraws the rules. */
  digest: string | null;
}

async function lock(tx: Queryable, { tenantId, kind }: RulesKey): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`rules ${kind} ${tenantId}`]);
}

async function newestOf(tx: Queryable, { tenantId, kind, id }: RulesKey): Promise<Newest | null> {
  const rows = await tx.query<Newest & Record<string, unknown>>(
    `SELECT version, effective_from AS "effectiveFrom", digest FROM rules
     WHERE tenant_id = $1 AND kind = $2 AND id = $3 ORDER BY version DESC LIMIT 1`,
    [tenantId, kind, id],
  );
  return rows[0] ?? null;
}

/** Rules that are withdrawn are not there for somebody who expects some. */
function expectVersion({ expectedVersion }: RulesChange, newest: Newest | null): void {
  if (expectedVersion === undefined) return;
  const current = newest === null || newest.digest === null ? null : newest.version;
  const isMet = expectedVersion === 'any' ? current !== null : expectedVersion === (current ?? 0);
  if (!isMet) throw new RulesVersionMoved(current);
}

interface NextVersion {
  newest: Newest | null;
  definition: string | null;
  digest: string | null;
}

async function insert(tx: Queryable, rules: RulesChange, { newest, definition, digest }: NextVersion): Promise<void> {
  const { tenantId, kind, id, keyId, delayMs } = rules;
  if (definition !== null) await expectRoom(tx, rules, Buffer.byteLength(definition));
  const version = (newest?.version ?? 0) + 1;
  // The delay of the version before may have been longer: a later version is never in force earlier.
  await tx.query(
    `INSERT INTO rules (tenant_id, kind, id, version, definition, digest, created_by, created_at, effective_from)
     SELECT $1, $2, $3, $4::integer, $5::json, $6, $7::uuid, at,
       greatest(at + $8::integer * interval '1 millisecond', $9::timestamptz)
     FROM (SELECT clock_timestamp()) AS clock(at)`,
    [tenantId, kind, id, version, definition, digest, keyId, delayMs, newest?.effectiveFrom ?? null],
  );
}

/** Beside what the tenant's other rules of this kind say now. */
async function expectRoom(tx: Queryable, { tenantId, kind, id }: RulesKey, bytes: number): Promise<void> {
  const [others] = await tx.query<{ ids: number; bytes: number }>(
    `SELECT count(*)::integer AS ids, coalesce(sum(octet_length(definition::text)), 0)::integer AS bytes
     FROM (
       SELECT DISTINCT ON (id) definition FROM rules WHERE tenant_id = $1 AND kind = $2 AND id <> $3
       ORDER BY id, version DESC
     ) AS newest
     WHERE definition IS NOT NULL`,
    [tenantId, kind, id],
  );
  if ((others?.ids ?? 0) >= maxRulesPerKind) throw new TooManyRules(maxRulesPerKind, 'rules');
  if ((others?.bytes ?? 0) + bytes > maxRulesBytes[kind]) throw new TooManyRules(maxRulesBytes[kind], 'bytes');
}
