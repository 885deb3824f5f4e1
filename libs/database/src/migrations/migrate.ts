import { DependencyUnavailable } from '@anabranch/failures';
import { dataSourceOf, poolOf } from '../data-source.js';
import { databaseConfig } from '../database.config.js';
import { asTypeormFailure } from '../typeorm-failures.js';

/** Any number will do, as long as nothing else in this database locks it. */
const migrationLock = 7_262_419_001;

/**
 * Brings the database to the newest schema. Several at once are no fault: they take turns. Returns the names of the
 * migrations that it ran.
 * @throws DependencyUnavailable when Postgres does not answer
 */
export async function migrate(postgresUrl: string): Promise<string[]> {
  const config = databaseConfig.parse({ postgresUrl, postgresPoolSize: 2 });
  const dataSource = dataSourceOf(config, { name: 'anabranch migrations', isPatient: true });
  try {
    await dataSource.initialize();
    // A lock of a session, on a connection of its own: it ends with the process, whatever happens.
    const client = await poolOf(dataSource).connect();
    try {
      await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
      const ran = await dataSource.runMigrations();
      return ran.map(({ name }) => name);
    } finally {
      client.release(true);
    }
  } catch (error) {
    const failure = asTypeormFailure(error);
    throw failure instanceof DependencyUnavailable ? failure : error;
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}
