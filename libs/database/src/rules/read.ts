import type { Queryable } from '../database.js';

// Every read names the tenant: another tenant's rules do not exist.

/** What analyses work by: classes to choose from, rules over findings, names to look for. */
export type RulesKind = 'taxonomy' | 'ruleset' | 'gazetteer';

/** All rules of one kind that a tenant has. */
export interface RulesScope {
  tenantId: string;
  kind: RulesKind;
}

/** One set of rules, which has versions. */
export interface RulesKey extends RulesScope {
  /** The tenant's name for it. */
  id: string;
}

/** What decides which version is in force at a time. */
export interface RulesVersion {
  id: string;
  /** From 1, without gaps, for each id. */
  version: number;
  /** In force from here on until the next version is; never before that of the version before. */
  effectiveFrom: Date;
  /** From here on there are no rules of this id. */
  isWithdrawn: boolean;
}

/** A version, and who made it. */
export interface RulesVersionInfo extends RulesVersion {
  createdAt: Date;
  createdBy: { keyId: string; name: string };
}

/** A version with what it says; null when it withdraws the rules. */
export interface StoredRules extends RulesVersionInfo {
  definition: unknown;
  /** Size of the definition as JSON; 0 when there is none. */
  bytes: number;
}

const versionColumns = `r.id, r.version, r.effective_from AS "effectiveFrom", r.definition IS NULL AS "isWithdrawn"`;
const infoColumns = `${versionColumns}, r.created_at AS "createdAt",
  json_build_object('keyId', r.created_by, 'name', (SELECT name FROM api_key WHERE id = r.created_by)) AS "createdBy"`;

/** One version, the newest unless a number is given; null when the tenant has none such. */
export async function getRules(
  db: Queryable,
  { tenantId, kind, id }: RulesKey,
  version: number | null = null,
): Promise<StoredRules | null> {
  const rows = await db.query<StoredRules & Record<string, unknown>>(
    `SELECT ${infoColumns}, r.definition, coalesce(octet_length(r.definition::text), 0) AS bytes FROM rules r
     WHERE r.tenant_id = $1 AND r.kind = $2 AND r.id = $3 AND ($4::integer IS NULL OR r.version = $4)
     ORDER BY r.version DESC LIMIT 1`,
    [tenantId, kind, id, version],
  );
  return rows[0] ?? null;
}

/** The newest version of each id, by id; without those that are withdrawn. */
export async function listRules(db: Queryable, { tenantId, kind }: RulesScope): Promise<RulesVersionInfo[]> {
  const rows = await db.query<RulesVersionInfo & Record<string, unknown>>(
    `SELECT DISTINCT ON (r.id) ${infoColumns} FROM rules r
     WHERE r.tenant_id = $1 AND r.kind = $2 ORDER BY r.id, r.version DESC`,
    [tenantId, kind],
  );
  return rows.filter(({ isWithdrawn }) => !isWithdrawn);
}

/** All versions at one time. */
export interface RulesVersions {
  /** By the database's clock: what is not in here was committed later. */
  readAt: Date;
  /** By id and version. */
  versions: RulesVersion[];
}

/** All versions of all rules of a kind. */
export async function readVersions(db: Queryable, { tenantId, kind }: RulesScope): Promise<RulesVersions> {
  const rows = await db.query<{ readAt: Date; id: string | null } & Omit<RulesVersion, 'id'> & Record<string, unknown>>(
    `SELECT now.at AS "readAt", ${versionColumns} FROM (SELECT statement_timestamp() AS at) AS now
     LEFT JOIN rules r ON r.tenant_id = $1 AND r.kind = $2 ORDER BY r.id, r.version`,
    [tenantId, kind],
  );
  const [first] = rows;
  if (first === undefined) throw new Error('A left join gives a row at least.');
  const versions = rows.flatMap(({ id, version, effectiveFrom, isWithdrawn }): RulesVersion[] => {
    return id === null ? [] : [{ id, version, effectiveFrom, isWithdrawn }];
  });
  return { readAt: first.readAt, versions };
}
