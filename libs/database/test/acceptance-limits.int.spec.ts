import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createTenant } from '../src/access/index.js';
import type { Database } from '../src/index.js';
import { acceptDocument, cancelJob, type NewDocument } from '../src/jobs/index.js';
import { AcceptanceLimitReached, type AcceptanceLimits } from '../src/limits/index.js';
import { connect, newDocument, openTestDatabase, sha256, tenantId } from './fixtures.js';

let db: Database;
let url: string;
let close: () => Promise<void>;
/** A process that has counted nothing yet. */
let fresh: Database;

beforeAll(async () => {
  ({ db, url, close } = await openTestDatabase());
  await createTenant(db, 'globex');
});
beforeEach(async () => {
  await db.query(
    'TRUNCATE document, document_revision, job, job_analysis, job_event, outbox, settlement, idempotency_key',
  );
  await fresh?.close();
  fresh = await connect(url);
});
afterAll(async () => {
  await fresh.close();
  await close();
});

const limited = (limits: Partial<AcceptanceLimits>, given: Partial<NewDocument> = {}) =>
  newDocument({ limits: { unsettledJobs: 0, waitingEvents: 0, ...limits }, ...given });

async function postMany(count: number, limits: Partial<AcceptanceLimits>, given: Partial<NewDocument> = {}) {
  const posts = Array.from({ length: count }, (_, at) =>
    acceptDocument(fresh, limited(limits, { documentId: `document-${at}`, ...given })),
  );
  const answers = await Promise.allSettled(posts);
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
  const accepted = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  return { accepted, refused };
}

const jobs = async (): Promise<number> => {
  const [row] = await db.query<{ n: number }>('SELECT count(*)::integer AS n FROM job');
  return row?.n ?? -1;
};

test('a tenant has no more unsettled jobs than its limit, however many it sends at once', async () => {
  const { accepted, refused } = await postMany(50, { unsettledJobs: 12 });
  expect(accepted).toHaveLength(12);
  expect(refused).toHaveLength(38);
  for (const error of refused) expect(error).toMatchObject({ limit: 'unsettledJobs', max: 12 });
  expect(await jobs()).toBe(12);
});

test('one tenant at its limit does not keep another one out', async () => {
  await postMany(5, { unsettledJobs: 3 });
  const { accepted } = await postMany(3, { unsettledJobs: 3 }, { tenantId: 'globex' });
  expect(accepted).toHaveLength(3);
});

test('a tenant that sends far beyond its own limit takes no room of what all tenants share', async () => {
  const limits = { unsettledJobs: 3, waitingEvents: 20 };
  const { refused } = await postMany(100, limits);
  expect(refused).toHaveLength(97);
  for (const error of refused) expect(error).toMatchObject({ limit: 'unsettledJobs' });
  expect((await postMany(3, limits, { tenantId: 'globex' })).accepted).toHaveLength(3);
});

test('each job that settles makes room for one', async () => {
  const { accepted } = await postMany(4, { unsettledJobs: 4 });
  const [first] = accepted;
  await cancelJob(fresh, { tenantId, jobId: first?.job.id ?? '', reason: 'spec', causationId: 'spec' });
  const again = await postMany(3, { unsettledJobs: 4 }, { text: 'A newer text.', documentId: null });
  expect(again.accepted.length).toBe(3);
  const more = await postMany(2, { unsettledJobs: 4 }, { text: 'Yet another text.', documentId: null });
  expect(more.refused).toHaveLength(2);
});

test('what has its job already is answered beyond the limits, and so is a key', async () => {
  const given = { documentId: 'known', idempotency: { key: 'k', requestSha256: sha256('k') } };
  const limits = { unsettledJobs: 1, waitingEvents: 1 };
  const first = await acceptDocument(fresh, limited(limits, given));
  await expect(acceptDocument(fresh, limited(limits, { documentId: 'new' }))).rejects.toBeInstanceOf(
    AcceptanceLimitReached,
  );
  expect(await acceptDocument(fresh, limited(limits, { documentId: 'known' }))).toMatchObject({ created: false });
  expect(await acceptDocument(fresh, limited(limits, given))).toMatchObject({ replayed: true, job: first.job });
});

test('no more events wait than the limit says, and there is room again when they were published', async () => {
  const { accepted, refused } = await postMany(30, { waitingEvents: 20 });
  expect([accepted.length, refused.length]).toEqual([20, 10]);
  for (const error of refused) expect(error).toMatchObject({ limit: 'waitingEvents', max: 20 });
  await db.query('DELETE FROM outbox WHERE number IN (SELECT number FROM outbox ORDER BY number DESC LIMIT 5)');
  for (let at = 0; at < 5; at++)
    await acceptDocument(fresh, limited({ waitingEvents: 20 }, { documentId: `document-${at}`, text: 'Later.' }));
  expect((await postMany(10, { waitingEvents: 20 }, { text: 'Even later.' })).accepted).toEqual([]);
});

test('a hole in the numbers of the outbox is not taken for events that wait', async () => {
  await postMany(2, { waitingEvents: 10 });
  await db.query(`SELECT setval(pg_get_serial_sequence('outbox', 'number'), 1000000)`);
  for (let at = 0; at < 8; at++)
    await acceptDocument(fresh, limited({ waitingEvents: 10 }, { documentId: `document-${at}`, text: 'Later.' }));
  expect((await postMany(1, { waitingEvents: 10 }, { text: 'Even later.' })).refused).toHaveLength(1);
});

test('0 is no limit', async () => {
  const { accepted } = await postMany(30, {});
  expect(accepted).toHaveLength(30);
});
