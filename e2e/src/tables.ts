// Postgres, seen from outside: what the product says of itself is held against it.
import pg from 'pg';
import { addressBook } from './platform.js';

export const rows = async <R extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<R[]> => {
  const client = new pg.Client({ connectionString: addressBook().postgres });
  await client.connect();
  try {
    return (await client.query<R>(sql, parameters)).rows;
  } finally {
    await client.end();
  }
};
