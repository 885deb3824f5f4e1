import { migrate } from '@anabranch/database/migrations';
import pg from 'pg';
import { testAddress, uniqueName } from './test-environment.js';

/** A database for one spec. */
export interface TestDatabase {
  /** With all migrations run. */
  url: string;
  /** Ends every connection to it and removes it. */
  drop(): Promise<void>;
}

/** Makes an empty, migrated database on the Postgres of the test run. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = uniqueName('spec');
  const url = new URL(testAddress('postgres'));
  await administrate(`CREATE DATABASE "${name}"`);
  url.pathname = `/${name}`;
  await migrate(url.href);
  return { url: url.href, drop: () => administrate(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`) };
}

async function administrate(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: testAddress('postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
