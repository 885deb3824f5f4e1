import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type pg from 'pg';
import type { Database, Queryable } from '../src/index.js';
import { heldDocuments } from '../src/jobs/held-documents.js';
import { acceptDocument, type AcceptedDocument } from '../src/jobs/index.js';
import { newDocument, openTestDatabase, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;
/** Somebody else, whose transaction takes its time. */
let other: pg.Client;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
  other = await db.connectDirectly('other');
});
afterAll(async () => {
  await other.end();
  await close();
});

const accept = (documentId: string, text: string): Promise<AcceptedDocument> =>
  acceptDocument(db, newDocument({ documentId, text }));

/** Whether a promise has settled, seen when everything that is ready has had its turn. */
function watch(promise: Promise<unknown>): { hasSettled: boolean } {
  const seen = { hasSettled: false };
  const note = (): void => void (seen.hasSettled = true);
  promise.then(note, note);
  return seen;
}

test('a document that somebody holds keeps no other one waiting, and is accepted in order when it is free', async () => {
  await accept('held', 'The first text.');
  await other.query('BEGIN');
  await other.query(`SELECT FROM document WHERE document_id = 'held' FOR UPDATE`);

  const second = accept('held', 'The second text.');
  const others = await Promise.all(Array.from({ length: 40 }, (_, at) => accept(`beside-${at}`, 'Beside it.')));
  expect(others.map(({ created }) => created)).toEqual(others.map(() => true));
  // It is known to be held by now.
  const third = accept('held', 'The third text.');
  const later = await Promise.all(Array.from({ length: 40 }, (_, at) => accept(`later-${at}`, 'Later.')));
  expect(later.map(({ created }) => created)).toEqual(later.map(() => true));
  const seen = [second, third].map(watch);
  expect((await accept('last', 'The last one.')).created).toBe(true);
  expect(seen).toEqual([{ hasSettled: false }, { hasSettled: false }]);

  await other.query('COMMIT');
  const accepted = await Promise.all([second, third]);
  expect(accepted.map(({ job }) => job.revision)).toEqual([2, 3]);
  expect((await accept('held', 'The fourth text.')).job.revision).toBe(4);
});

test('a document that another process is about to make keeps no other one waiting, either', async () => {
  await other.query('BEGIN');
  const query: Queryable['query'] = async (sql, parameters) => {
    const { rows } = await other.query(sql, parameters && [...parameters]);
    return rows as never[];
  };
  expect(await heldDocuments({ query }, [{ tenantId, documentId: 'unborn' }])).toEqual(new Set());
  await other.query('INSERT INTO document (tenant_id, document_id) VALUES ($1, $2)', [tenantId, 'unborn']);

  const unborn = accept('unborn', 'The first text.');
  const others = await Promise.all(Array.from({ length: 40 }, (_, at) => accept(`next-to-${at}`, 'Next to it.')));
  expect(others.map(({ created }) => created)).toEqual(others.map(() => true));

  await other.query('ROLLBACK');
  expect(await unborn).toMatchObject({ created: true, job: { revision: 1 } });
});
