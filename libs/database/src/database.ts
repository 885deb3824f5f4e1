import type { Writable } from 'node:stream';
import type { DataSource, EntityManager } from 'typeorm';
import pg from 'pg';
import type { DatabaseConfig } from './database.config.js';
import { openDataSource, poolOf } from './data-source.js';
import { asFailure, isConflict } from './failures.js';
import type { Log } from './log.js';
import { createNotifier, type Notifier } from './notifier.js';
import { asTypeormFailure } from './typeorm-failures.js';

export type Row = Record<string, unknown>;

/**
 * Something that runs SQL: a transaction, or the pool. Rows come as pg parses them; bigint comes as a string. Statements of
 * a transaction run in the order of the calls, and those that need not wait for each other's answers share a round trip.
 */
export interface Queryable {
  query<R extends Row = Row>(sql: string, parameters?: readonly unknown[]): Promise<R[]>;
}

/** One Postgres database: the pool for work, a data source for reading, direct connections for locks and LISTEN. */
export interface Database extends Queryable, Notifier {
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
  /**
   * As `transaction`, for what clients ask for: rows of other tenants than these do not exist, and cannot be written
   * (row-level security). Costs no round trip of its own.
   */
  writeAs<T>(tenantIds: readonly string[], work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** As `transaction`, for work that is one statement: it needs no more than one round trip. */
  atOnce<T>(work: (one: Queryable) => Promise<T>): Promise<T>;
  /** A connection of its own, past any pooler, for advisory locks and LISTEN. The caller ends it. */
  connectDirectly(purpose: string): Promise<pg.Client>;
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
  // Behind a transaction pooler the next statement may reach another session, which knows no statement by its name.
  const arePlansKept = config.postgresDirectUrl === undefined;
  const run = runnerOf(arePlansKept ? createStatementNames() : () => undefined);
  const transacting = { pool, run, begin: arePlansKept ? beginWithKeptPlans : begin };
  const query: Database['query'] = (sql, parameters) => run(pool, sql, parameters);
  return {
    dataSource,
    query,
    read: (work) => read(dataSource, work),
    readAs: (tenantId, work) => read(dataSource, (entities) => readAs(entities, tenantId, work)),
    transaction: (work) => untilNoConflict(() => transactOnce(transacting, work)),
    writeAs: (tenantIds, work) => untilNoConflict(() => transactOnce({ ...transacting, tenantIds }, work)),
    atOnce: (work) => untilNoConflict(() => work({ query })),
    connectDirectly: (purpose) => connect(config, `${options.name} ${purpose}`),
    ...createNotifier(query),
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

type Run = <R extends Row>(
  client: pg.Pool | pg.PoolClient,
  sql: string,
  parameters?: readonly unknown[],
) => Promise<R[]>;

function runnerOf(nameOf: (sql: string) => string | undefined): Run {
  return async <R extends Row>(client: pg.Pool | pg.PoolClient, sql: string, parameters?: readonly unknown[]) => {
    try {
      const name = parameters && nameOf(sql);
      const named = name === undefined ? {} : { name };
      const { rows } = await client.query<R>({ ...named, text: sql, values: parameters && [...parameters] });
      return rows;
    } catch (error) {
      throw asFailure(error);
    }
  };
}

/** More than there are statements in this library; a text that is put together differently each time must not fill a session. */
const maxNamed = 200;

/**
 * Names of statements, by which a session parses and plans each once: with small batches that is most of their cost. The
 * plans are kept, so a hot statement must go from the batch to the rows whatever the size of a table (see `begin`).
 */
function createStatementNames(): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  return (sql) => {
    const known = names.get(sql);
    if (known !== undefined || names.size >= maxNamed) return known;
    const name = `s${names.size}`;
    names.set(sql, name);
    return name;
  };
}

async function untilNoConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || retry >= conflictRetries) throw error;
    }
  }
}

interface Transacting {
  pool: pg.Pool;
  run: Run;
  begin: string;
  /** Whose rows there are; unless given, those of all. */
  tenantIds?: readonly string[];
}

async function transactOnce<T>(
  { pool, run, begin, tenantIds }: Transacting,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  const client = await checkOut(pool);
  // A connection that breaks fails the statement under way; without a listener it would end the process, too.
  client.on('error', ignoreError);
  let isBroken = true;
  const query: Queryable['query'] = (sql, parameters) => {
    sendTogether(client);
    return run(client, sql, parameters);
  };
  // Not waited for: it travels with the first statement, which fails with it.
  const begun = Promise.all([query(begin), tenantIds && query(asWriter, [tenantIds])]);
  begun.catch(ignoreError);
  try {
    const result = await work({ query });
    await begun;
    await run(client, 'COMMIT');
    isBroken = false;
    return result;
  } catch (error) {
    isBroken = !(await rollBack(client));
    // What could not begin is the reason, whatever failed after it.
    await begun;
    throw error;
  } finally {
    client.off('error', ignoreError);
    // A connection whose state is not known is closed, never handed to somebody else.
    client.release(isBroken);
  }
}

// A batch looks up few rows in tables that grow all day. While the statistics of a young table lag behind, the planner would
// rather read all of it, for every batch.
const begin = [
  'BEGIN',
  'SET LOCAL enable_seqscan = off',
  'SET LOCAL enable_hashjoin = off',
  'SET LOCAL enable_mergejoin = off',
  'SET LOCAL random_page_cost = 1.1',
].join('; ');

// Where plans are kept, the planner would still plan each batch anew: for the few rows that are at hand that seems cheaper than
// the kept plan, which is made for ten. It took a fifth of Postgres' time.
const beginWithKeptPlans = `${begin}; SET LOCAL plan_cache_mode = force_generic_plan`;

// For this transaction alone, as with `readAs`. The tenants are an array as Postgres writes it, whatever their ids are.
const asWriter =
  "SELECT set_config('anabranch.tenants', $1::text[]::text, true), set_config('role', 'anabranch_writer', true)";

/** What is written in one turn goes in one packet: each write costs more than what is in it. */
function sendTogether(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
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
