import type { DataSource, EntityManager } from 'typeorm';
import pg from 'pg';
import type { DatabaseConfig } from './database.config.js';
import { openDataSource, poolOf } from './data-source.js';
import { asFailure, isConflict } from './failures.js';
import type { Log } from './log.js';
import { createNotifier } from './notifier.js';
import { asTypeormFailure } from './typeorm-failures.js';

export type Row = Record<string, unknown>;

/** Something that runs SQL: a transaction, or the pool. Rows come as pg parses them; bigint comes as a string. */
export interface Queryable {
  query<R extends Row = Row>(sql: string, parameters?: readonly unknown[]): Promise<R[]>;
}

/** One Postgres database: the pool for work, a data source for reading, direct connections for locks and LISTEN. */
export interface Database extends Queryable {
  readonly dataSource: DataSource;
  /**
   * Reads entities, and does nothing else: what fails is taken for Postgres' failure. Hot writes are SQL.
   * @throws DependencyUnavailable when Postgres does not answer
   */
  read<T>(work: (entities: EntityManager) => Promise<T>): Promise<T>;
  /**
   * Reads what belongs to one tenant, in one snapshot: rows of others do not exist, whatever the query says (row-level
   * security). For everything that a client asks for; entities, or SQL.
   * @throws DependencyUnavailable when Postgres does not answer
   */
  readAs<T>(tenantId: string, work: (entities: EntityManager, rows: Queryable) => Promise<T>): Promise<T>;
  /**
   * Runs the work in one transaction. Two transactions in each other's way are tried again, without an attempt. Throws
   * `DependencyUnavailable` when Postgres does not answer: the outcome of the commit is then unknown, so work must find
   * its own rows when it is told again.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** A connection of its own, past any pooler, for advisory locks and LISTEN. The caller ends it. */
  connectDirectly(purpose: string): Promise<pg.Client>;
  /** Says that the outbox of a topic has new rows. Call it after the commit; it never fails, a sweep covers its loss. */
  notify(topic: string): void;
  /** Resolves when Postgres answers; else throws `DependencyUnavailable`. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Who is connected, as `pg_stat_activity` shows it. */
  name: string;
  /** Ends the waiting for a Postgres that is not up. */
  signal?: AbortSignal;
  log?: Log;
}

const conflictRetries = 20;

/**
 * Connects to the database. Waits for as long as Postgres is not up.
 * @throws StopService when the credentials are refused, the database does not exist, or migrations are missing
 */
export async function createDatabase(config: DatabaseConfig, options: DatabaseOptions): Promise<Database> {
  const dataSource = await openDataSource(config, options);
  const pool = poolOf(dataSource);
  const query: Database['query'] = (sql, parameters) => run(pool, sql, parameters);
  return {
    dataSource,
    query,
    read: (work) => read(dataSource, work),
    readAs: (tenantId, work) => read(dataSource, (entities) => readAs(entities, tenantId, work)),
    transaction: (work) => transact(pool, work),
    connectDirectly: (purpose) => connect(config, `${options.name} ${purpose}`),
    notify: createNotifier(query),
    check: async () => void (await query('SELECT 1')),
    close: () => dataSource.destroy(),
  };
}

async function read<T>(dataSource: DataSource, work: (entities: EntityManager) => Promise<T>): Promise<T> {
  try {
    return await work(dataSource.manager);
  } catch (error) {
    throw asTypeormFailure(error);
  }
}

function readAs<T>(
  entities: EntityManager,
  tenantId: string,
  work: (entities: EntityManager, rows: Queryable) => Promise<T>,
): Promise<T> {
  return entities.transaction('REPEATABLE READ', async (reader) => {
    // For this transaction alone: the connection goes back to the pool as it was.
    const asReader = "SELECT set_config('anabranch.tenant', $1, true), set_config('role', 'anabranch_reader', true)";
    await reader.query(asReader, [tenantId]);
    return work(reader, { query: (sql, parameters) => reader.query(sql, parameters && [...parameters]) });
  });
}

async function run<R extends Row>(client: pg.Pool | pg.PoolClient, sql: string, parameters?: readonly unknown[]) {
  try {
    const { rows } = await client.query<R>(sql, parameters && [...parameters]);
    return rows;
  } catch (error) {
    throw asFailure(error);
  }
}

async function transact<T>(pool: pg.Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await transactOnce(pool, work);
    } catch (error) {
      if (!isConflict(error) || retry >= conflictRetries) throw error;
    }
  }
}

async function transactOnce<T>(pool: pg.Pool, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const client = await checkOut(pool);
  // A connection that breaks fails the statement under way; without a listener it would end the process, too.
  client.on('error', ignoreError);
  let isBroken = true;
  try {
    await run(client, 'BEGIN');
    const result = await work({ query: (sql, parameters) => run(client, sql, parameters) });
    await run(client, 'COMMIT');
    isBroken = false;
    return result;
  } catch (error) {
    isBroken = !(await rollBack(client));
    throw error;
  } finally {
    client.off('error', ignoreError);
    // A connection whose state is not known is closed, never handed to somebody else.
    client.release(isBroken);
  }
}

const ignoreError = (): void => undefined;

async function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw asFailure(error);
  }
}

async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    // The connection is gone, and with it the transaction.
    return false;
  }
}

async function connect(config: DatabaseConfig, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: config.postgresDirectUrl ?? config.postgresUrl,
    application_name: name,
    connectionTimeoutMillis: 5_000,
    // A connection that died without a word is noticed by the next statement.
    query_timeout: 10_000,
    keepAlive: true,
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw asFailure(error);
  }
}
