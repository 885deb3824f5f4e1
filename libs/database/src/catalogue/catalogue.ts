import type { Database, Queryable } from '../database.js';
import { AnalysisEntity } from './entities.js';

/** One line of the catalogue: an analysis, as the tool that makes its topic writes it. */
export interface CatalogueEntry {
  name: string;
  /** Full name and version of the result's schema. */
  resultSchema: string;
  /** Documents accepted before are not analysed by it, unless a command names them. */
  enabledFrom: Date;
}

/** All analyses of the deployment, by name. */
export async function listAnalyses(db: Database): Promise<CatalogueEntry[]> {
  const rows = await db.read((entities) => entities.find(AnalysisEntity, { order: { name: 'ASC' } }));
  return rows.map(({ name, resultSchema, enabledFrom }) => ({ name, resultSchema, enabledFrom }));
}

/** Adds analyses that are new, enabled from now on, and updates the schema of known ones. Returns the names it added. */
export async function upsertAnalyses(
  db: Queryable,
  analyses: readonly Pick<CatalogueEntry, 'name' | 'resultSchema'>[],
): Promise<string[]> {
  const rows = await db.query<{ name: string; added: boolean }>(
    `INSERT INTO analysis (name, result_schema)
     SELECT name, "resultSchema" FROM json_to_recordset($1) AS a(name text, "resultSchema" text) ORDER BY name
     ON CONFLICT (name) DO UPDATE SET result_schema = excluded.result_schema
     RETURNING name, xmax = 0 AS added`,
    [JSON.stringify(analyses)],
  );
  return rows.filter(({ added }) => added).map(({ name }) => name);
}

/**
 * The names that are enabled now: the set that a document gets which asks for none. Each line is enabled from when it was
 * written; that time is not compared with a clock, because one that is set back would make every analysis unknown.
 */
export async function enabledAnalyses(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>('SELECT name FROM analysis ORDER BY name');
  return rows.map(({ name }) => name);
}
