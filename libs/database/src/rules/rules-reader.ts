import { StopService } from '@anabranch/failures';
import pg from 'pg';
import type { Queryable, Row } from '../database.js';
import { asFailure, sqlStateOf } from '../failures.js';
import {
  getRules,
  readVersions,
  type RulesKey,
  type RulesScope,
  type RulesVersions,
  type StoredRules,
} from './read.js';

/** Reads rules, and nothing else. */
export interface RulesReader {
  /** All versions of all rules of a kind. Throws `DependencyUnavailable` when Postgres does not answer. */
  versions(scope: RulesScope): Promise<RulesVersions>;
  /** One version; null when there is none such. Throws `DependencyUnavailable` when Postgres does not answer. */
  rules(key: RulesKey, version: number): Promise<StoredRules | null>;
  close(): Promise<void>;
}

const connectionTimeoutMillis = 5_000;
const statementTimeoutMs = 10_000;
/** Longer than any statement may take: only a connection that died without a word runs into it. */
const answerTimeoutMs = 15_000;
// Answers are kept by the reader's owner, so it asks seldom.
const connections = 2;

/**
 * A reader with a small pool of its own. It connects when it is first asked, so a process starts while Postgres is down.
 * No TypeORM: it would take a third of the memory of an analysis, for three columns.
 * @throws StopService from its methods when Postgres refuses the credentials, or lacks the database or a table
 */
export function openRulesReader({ postgresUrl }: { postgresUrl: string }, { name }: { name: string }): RulesReader {
  const pool = new pg.Pool({
    connectionString: postgresUrl,
    application_name: name,
    max: connections,
    connectionTimeoutMillis,
    statement_timeout: statementTimeoutMs,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
  });
  // The pool replaces a connection that broke while idle; whoever uses a broken one gets the error.
  pool.on('error', () => undefined);
  const db: Queryable = { query: (sql, parameters) => ask(pool, sql, parameters) };
  return {
    versions: (scope) => readVersions(db, scope),
    rules: (key, version) => getRules(db, key, version),
    close: () => pool.end(),
  };
}

async function ask<R extends Row>(pool: pg.Pool, sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
  try {
    const { rows } = await pool.query<R>(sql, [...parameters]);
    return rows;
  } catch (error) {
    throw asMisconfigured(error) ?? asFailure(error);
  }
}

/** Trying again would not help, and blaming documents would be unjust: invalid credentials, no such database or table. */
function asMisconfigured(cause: unknown): StopService | null {
  const state = sqlStateOf(cause);
  if (state === null || !(state.startsWith('28') || ['3D000', '42P01', '42703', '42501'].includes(state))) return null;
  const message =
    `Postgres has no rules for this process (${state}): check user, password and database in postgresUrl, and run ` +
    'the migrations.';
  return new StopService(message, { code: 'CONFIGURATION', cause });
}
