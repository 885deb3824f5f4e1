import { setTimeout as delay } from 'node:timers/promises';
import { DependencyUnavailable, StopService } from '@anabranch/failures';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { accessEntities } from './access/entities.js';
import { catalogueEntities } from './catalogue/entities.js';
import type { DatabaseConfig } from './database.config.js';
import type { DatabaseOptions } from './database.js';
import { sqlStateOf } from './failures.js';
import { jobEntities } from './jobs/entities.js';
import { migrations } from './migrations/list.js';
import { asTypeormFailure } from './typeorm-failures.js';

const reconnectMs = 1_000;
/** Longer than any statement may take, so that only a connection that is dead without a word runs into it. */
const answerTimeoutMs = 40_000;
const statementTimeoutMs = 30_000;
/** For a new connection as for one that is lent out: a thousand posts of one document wait for each other so long, and not much longer. */
const connectionTimeoutMs = 10_000;

const timeouts = {
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: statementTimeoutMs,
  query_timeout: answerTimeoutMs,
};

/** The data source over all entities and migrations, not connected yet. Only migrations may take any time. */
export function dataSourceOf(
  { postgresUrl, postgresPoolSize }: DatabaseConfig,
  { name, isPatient = false }: { name: string; isPatient?: boolean },
): DataSource {
  return new DataSource({
    type: 'postgres',
    url: postgresUrl,
    applicationName: name,
    entities: [...accessEntities, ...catalogueEntities, ...jobEntities],
    migrations: [...migrations],
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    // The pool replaces a connection that broke while idle; whoever uses a broken one gets the error.
    poolErrorHandler: () => undefined,
    extra: {
      max: postgresPoolSize,
      connectionTimeoutMillis: connectionTimeoutMs,
      keepAlive: true,
      // Statements that do not need each other's answers travel together: a round trip costs more than many a statement.
      pipeline: true,
      ...(isPatient ? {} : timeouts),
    },
  });
}

/** The pool beneath a data source. */
export function poolOf(dataSource: DataSource): pg.Pool {
  return (dataSource.driver as unknown as { master: pg.Pool }).master;
}

/** Opens the data source; waits while Postgres is not up, and stops where waiting would not help. */
export async function openDataSource(config: DatabaseConfig, options: DatabaseOptions): Promise<DataSource> {
  for (;;) {
    const dataSource = dataSourceOf(config, options);
    try {
      await dataSource.initialize();
      await assertMigrated(dataSource);
      return dataSource;
    } catch (error) {
      if (dataSource.isInitialized) await dataSource.destroy();
      const failure = asStartFailure(error);
      if (!(failure instanceof DependencyUnavailable)) throw failure;
      options.log?.warn({ err: failure }, 'waiting for Postgres');
      await delay(reconnectMs, undefined, options.signal && { signal: options.signal });
    }
  }
}

async function assertMigrated(dataSource: DataSource): Promise<void> {
  const isPending = await dataSource.showMigrations();
  if (!isPending) return;
  const message = 'The database lacks migrations: run `node libs/database/dist/migrations/run.js`, then start again.';
  throw new StopService(message, { code: 'CONFIGURATION' });
}

function asStartFailure(error: unknown): unknown {
  const state = sqlStateOf(error);
  if (state?.startsWith('28') || state === '3D000') {
    const message = `Postgres refuses the connection (${state}): check user, password and database in postgresUrl.`;
    return new StopService(message, { code: 'CONFIGURATION', cause: error });
  }
  return error instanceof StopService ? error : asTypeormFailure(error);
}
