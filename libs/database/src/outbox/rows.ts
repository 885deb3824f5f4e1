import type pg from 'pg';
import type { Queryable } from '../database.js';
import { asFailure } from '../failures.js';

/** A row of the outbox: an event that the topic still has to carry. */
export interface OutboxRow {
  number: number;
  /** Id of the immutable row that the event is rendered from. */
  rowId: string;
  /** The document: its rows are published one after the other. */
  document: string;
}

/** Of columns: a document's name, length-prefixed, so that no choice of ids can make two documents one. */
export const documentName = `length(tenant_id) || ':' || tenant_id || document_id`;

/** The rows of one topic. */
export interface OutboxRows {
  /** The oldest rows but the excluded ones. Numbers become visible out of order, so no cursor would do. */
  read(excluded: readonly number[], limit: number): Promise<OutboxRow[]>;
  remove(numbers: readonly number[]): Promise<void>;
  /** Takes a row that can never be published out of the others' way, and keeps it. Returns the id of its job. */
  setAside(number: number, failure: string): Promise<string>;
}

/**
 * The outbox through the one connection that holds the relay's lock: when the lock is lost, so are these statements. They
 * are called one at a time.
 */
export function outboxRows(client: pg.Client, topic: string): OutboxRows & Queryable {
  const query = async <R extends pg.QueryResultRow>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> => {
    try {
      return (await client.query<R>(sql, [...parameters])).rows;
    } catch (error) {
      throw asFailure(error);
    }
  };
  return {
    query,
    read: async (excluded, limit) => {
      const rows = await query<{ number: string; row_id: string; document: string }>(
        `SELECT number, row_id, ${documentName} AS document
         FROM outbox WHERE topic = $1 AND number <> ALL($2::bigint[]) ORDER BY number LIMIT $3`,
        [topic, excluded, limit],
      );
      return rows.map(({ number, row_id, document }) => ({ number: Number(number), rowId: row_id, document }));
    },
    setAside: async (number, failure) => {
      const [row] = await query<{ job_id: string }>(
        `WITH failed AS (DELETE FROM outbox WHERE topic = $1 AND number = $2 RETURNING *)
         INSERT INTO outbox_failure (topic, number, row_id, tenant_id, document_id, job_id, failure)
         SELECT topic, number, row_id, tenant_id, document_id,
                coalesce((SELECT s.job_id FROM settlement s WHERE s.id = row_id),
                         (SELECT c.job_id FROM command c WHERE c.id = row_id), row_id), $3
         FROM failed
         RETURNING job_id`,
        [topic, number, failure],
      );
      return row?.job_id ?? '';
    },
    remove: async (numbers) => {
      await query('DELETE FROM outbox WHERE topic = $1 AND number = ANY($2::bigint[])', [topic, numbers]);
    },
  };
}

/** How many events of the topic wait, counted up to 100,000. */
export async function countRows(db: Queryable, topic: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM (SELECT 1 FROM outbox WHERE topic = $1 LIMIT 100000) AS o',
    [topic],
  );
  return row?.count ?? 0;
}

/** How many events of the topic were put aside. */
export async function countFailures(db: Queryable, topic: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM outbox_failure WHERE topic = $1',
    [topic],
  );
  return row?.count ?? 0;
}
