import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { IdempotencyKeyInUse, IdempotencyKeyReused, sweepIdempotencyKeys } from '../src/idempotency/index.js';
import type { Database } from '../src/index.js';
import { createTenant } from '../src/access/index.js';
import { acceptDocument, cancelJob, type AcceptedDocument } from '../src/jobs/index.js';
import { connect, newDocument, openTestDatabase, sha256, tenantId } from './fixtures.js';

let db: Database;
let other: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  let url: string;
  ({ db, url, close } = await openTestDatabase());
  other = await connect(url);
});
beforeEach(() =>
  db.query('TRUNCATE document, document_revision, job, job_analysis, job_event, outbox, settlement, idempotency_key'),
);
afterAll(async () => {
  await other.close();
  await close();
});

const keyed = (key: string, text = 'The invoice of 3 May is wrong.', given: object = {}) =>
  newDocument({ text, idempotency: { key, requestSha256: sha256(text) }, ...given });

const jobs = async (): Promise<number> => {
  const [row] = await db.query<{ n: number }>('SELECT count(*)::integer AS n FROM job');
  return row?.n ?? -1;
};

test('the same key and request are answered with the same job, as the first time, although the document has moved on', async () => {
  const first = await acceptDocument(db, keyed('a'));
  await acceptDocument(db, newDocument({ text: 'A newer one.' }));
  const again = await acceptDocument(other, keyed('a'));
  expect(first).toMatchObject({ created: true, replayed: false });
  expect(again).toMatchObject({ created: true, replayed: true, job: { id: first.job.id, state: 'superseded' } });
  expect(await jobs()).toBe(2);
});

test('a key whose first request found the job answers so again', async () => {
  await acceptDocument(db, newDocument());
  expect(await acceptDocument(db, keyed('found'))).toMatchObject({ created: false, replayed: false });
  expect(await acceptDocument(db, keyed('found'))).toMatchObject({ created: false, replayed: true });
});

test('a key stays with its job when that was cancelled, while the content without the key is a new revision', async () => {
  const { job } = await acceptDocument(db, keyed('kept'));
  await cancelJob(db, { tenantId, jobId: job.id, reason: 'spec', causationId: 'spec' });
  expect(await acceptDocument(db, keyed('kept'))).toMatchObject({ job: { id: job.id, state: 'cancelled' } });
  expect(await acceptDocument(db, newDocument())).toMatchObject({ created: true, job: { revision: 2 } });
});

test('another request under the key is refused, and changes nothing', async () => {
  await acceptDocument(db, keyed('b'));
  await expect(acceptDocument(db, keyed('b', 'Another text.'))).rejects.toBeInstanceOf(IdempotencyKeyReused);
  expect(await jobs()).toBe(1);
});

test('a key is its tenant’s alone', async () => {
  await createTenant(db, 'globex');
  const mine = await acceptDocument(db, keyed('shared'));
  const theirs = await acceptDocument(db, keyed('shared', 'Another text.', { tenantId: 'globex' }));
  expect(theirs).toMatchObject({ created: true, replayed: false });
  expect(theirs.job.id).not.toBe(mine.job.id);
});

test('while the first request is under way in another process, the key is in use; once it is over, it is answered', async () => {
  // The lock of the spec holds the first request up in the middle of its transaction.
  await acceptDocument(db, newDocument({ text: 'Before.' }));
  const holder = await db.connectDirectly('holder');
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE job_event IN SHARE MODE');
  const first = acceptDocument(db, keyed('slow'));
  await isWaiting(holder);
  const second = acceptDocument(other, keyed('slow', undefined, { documentId: 'elsewhere' }));
  await expect(second).rejects.toBeInstanceOf(IdempotencyKeyInUse);
  await holder.query('COMMIT');
  await holder.end();
  const { job } = await first;
  expect(await acceptDocument(other, keyed('slow'))).toMatchObject({ replayed: true, job: { id: job.id } });
});

test('a key whose transaction dies is free, and its request is accepted when it is sent again', async () => {
  await acceptDocument(db, newDocument({ text: 'Before.' }));
  const holder = await db.connectDirectly('holder');
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE job_event IN SHARE MODE');
  const dying = acceptDocument(db, keyed('dies')).catch((error: unknown) => error);
  const pid = await isWaiting(holder);
  await holder.query('SELECT pg_terminate_backend($1)', [pid]);
  expect(await dying).toMatchObject({ dependency: 'postgres' });
  await holder.query('COMMIT');
  await holder.end();
  expect(await acceptDocument(other, keyed('dies'))).toMatchObject({ created: true, replayed: false });
});

test('a thousand parallel posts of one key, over two processes and with different documents, make one job', async () => {
  const posts = Array.from({ length: 1_000 }, (_, at) => {
    const documentId = `document-${at % 7}`;
    return acceptDocument(at % 2 ? db : other, keyed('once', 'One text.', { documentId }));
  });
  const answers = await Promise.allSettled(posts);
  const accepted = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
  expect(accepted.filter(isNew)).toHaveLength(1);
  expect(refused.every((error) => error instanceof IdempotencyKeyInUse)).toBe(true);
  expect(new Set(accepted.map(({ job }) => job.id)).size).toBe(1);
  expect(await jobs()).toBe(1);
});

test('a thousand parallel posts of one content, over two processes and each with a key of its own, make one job', async () => {
  const posts = Array.from({ length: 1_000 }, (_, at) => acceptDocument(at % 2 ? db : other, keyed(`key-${at}`)));
  const accepted = await Promise.all(posts);
  expect(accepted.filter(isNew)).toHaveLength(1);
  expect(new Set(accepted.map(({ job }) => job.id)).size).toBe(1);
  expect(await jobs()).toBe(1);
  const [row] = await db.query<{ n: number; jobs: number }>(
    'SELECT count(*)::integer AS n, count(DISTINCT job_id)::integer AS jobs FROM idempotency_key',
  );
  expect(row).toEqual({ n: 1_000, jobs: 1 });
});

test('keys are forgotten after their time, and not before', async () => {
  await acceptDocument(db, keyed('old'));
  await acceptDocument(db, keyed('young'));
  await db.query(`UPDATE idempotency_key SET created_at = now() - interval '25 hours' WHERE key = 'old'`);
  expect(await sweepIdempotencyKeys(db, 86_400_000)).toBe(1);
  expect(await db.query('SELECT key FROM idempotency_key')).toEqual([{ key: 'young' }]);
  expect(await acceptDocument(db, keyed('old', 'Another text.'))).toMatchObject({ created: true, replayed: false });
});

const isNew = ({ created, replayed }: AcceptedDocument): boolean => created && !replayed;

/** The process id of the connection that waits for a lock, as soon as there is one. */
async function isWaiting(holder: Awaited<ReturnType<Database['connectDirectly']>>): Promise<number> {
  const statement = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  for (;;) {
    const { rows } = await holder.query<{ pid: number }>(statement);
    if (rows[0] !== undefined) return rows[0].pid;
  }
}
