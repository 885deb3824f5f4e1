import { DependencyUnavailable } from '@anabranch/failures';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { acceptDocument, assemble, getHistory, getJob, getText, readIngestedEvents } from '../src/jobs/index.js';
import {
  allOutcomes,
  analyses,
  connect,
  ingested,
  newDocument,
  openedFact,
  openTestDatabase,
  tenantId,
} from './fixtures.js';

let db: Database;
let url: string;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, url, close } = await openTestDatabase());
});
beforeEach(() =>
  db.query('TRUNCATE document, document_revision, job, job_analysis, job_event, outbox, settlement, outcome'),
);
afterAll(() => close());

const counts = async (): Promise<unknown> => {
  const tables = ['document', 'document_revision', 'job', 'job_event', 'outbox'];
  const [row] = await db.query(
    `SELECT ${tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`).join()}`,
  );
  return row;
};

test('an accepted document has its revision, job, history and outbox row', async () => {
  const { job, created } = await acceptDocument(db, newDocument());
  expect(created).toBe(true);
  expect(job).toMatchObject({ documentId: 'invoice-3', revision: 1, state: 'accepted', resultVersion: 0, sequence: 1 });
  expect(job.analyses).toEqual(Object.fromEntries(analyses.map((name) => [name, 'waiting'])));
  expect(Date.parse(job.deadlineAt) - Date.parse(job.createdAt)).toBe(600_000);
  expect(await getJob(db, tenantId, job.id)).toEqual(job);
  expect(await getText(db, tenantId, job.id)).toMatchObject({
    text: 'The invoice of 3 May is wrong.',
    charset: 'utf-8',
  });
  expect(await getHistory(db, tenantId, { jobId: job.id })).toMatchObject([{ number: 1, type: 'accepted' }]);
  expect(await db.query('SELECT topic, row_id FROM outbox')).toEqual([{ topic: 'document.ingested', row_id: job.id }]);
});

test('its event carries the text, the resolved analyses and the trace', async () => {
  const document = newDocument({ metadata: { a: 'ü' }, priority: 'HIGH', stream: true, sourceEventId: 'mail-9' });
  const { job } = await acceptDocument(db, document);
  const { event, traceparent } = (await readIngestedEvents(db, [job.id])).get(job.id) ?? {};
  expect(traceparent).toBe(document.traceparent);
  expect(event).toEqual({
    ...ingested({ documentId: 'invoice-3', text: document.text ?? '', requestedAnalyses: analyses }),
    occurredAt: Date.parse(job.createdAt),
    charset: 'utf-8',
    metadata: { a: 'ü' },
    deadlineMs: 600_000,
    priority: 'HIGH',
    sourceEventId: 'mail-9',
    stream: true,
  });
});

test('a hundred parallel posts of one content make one job', async () => {
  const second = await connect(url);
  const posts = Array.from({ length: 100 }, (_, at) => acceptDocument(at % 2 ? db : second, newDocument()));
  const accepted = await Promise.all(posts);
  await second.close();
  expect(new Set(accepted.map(({ job }) => job.id)).size).toBe(1);
  expect(accepted.filter(({ created }) => created)).toHaveLength(1);
  expect(await counts()).toEqual({ document: 1, document_revision: 1, job: 1, job_event: 1, outbox: 1 });
});

test('other content, or other analyses, is a new revision that supersedes the one before', async () => {
  const first = await acceptDocument(db, newDocument());
  const second = await acceptDocument(db, newDocument({ text: 'The invoice of 4 May is wrong.' }));
  const third = await acceptDocument(
    db,
    newDocument({ text: 'The invoice of 4 May is wrong.', requestedAnalyses: ['summary'] }),
  );
  expect([second, third].map(({ job }) => job.revision)).toEqual([2, 3]);
  expect(await getJob(db, tenantId, first.job.id)).toMatchObject({ state: 'superseded', supersededBy: 2 });
  // Only the latest revision is compared: the first content again is new.
  expect(await acceptDocument(db, newDocument())).toMatchObject({ created: true, job: { revision: 4 } });
  expect(await acceptDocument(db, newDocument({ requestedAnalyses: [...analyses].reverse() }))).toMatchObject({
    created: false,
  });
});

test('a hundred parallel posts of different contents get revisions without a gap, and one job stays unsettled', async () => {
  const second = await connect(url);
  const posts = Array.from({ length: 100 }, (_, at) =>
    acceptDocument(at % 2 ? db : second, newDocument({ text: `Text ${at}.` })),
  );
  const revisions = (await Promise.all(posts)).map(({ job }) => job.revision);
  await second.close();
  expect(revisions.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  const states = await db.query(
    'SELECT state, count(*)::int AS n, max(revision)::int AS top FROM job GROUP BY state ORDER BY state',
  );
  expect(states).toEqual([
    { state: 'accepted', n: 1, top: 100 },
    { state: 'superseded', n: 99, top: 99 },
  ]);
});

test('without a document id the same text is the same document', async () => {
  const [one, same, other] = await Promise.all([
    acceptDocument(db, newDocument({ documentId: null })),
    acceptDocument(db, newDocument({ documentId: null })),
    acceptDocument(db, newDocument({ documentId: null, text: 'Another text.' })),
  ]);
  expect(same.job.id).toBe(one.job.id);
  expect(other.job.documentId).not.toBe(one.job.documentId);
  expect(one.job.documentId).toMatch(/^sha256-[0-9a-f]{64}$/);
});

test('a revision minted over HTTP lies above what producers on Kafka have used', async () => {
  const revision = 1_790_000_000_000;
  await assemble(db, [openedFact(ingested({ documentId: 'mixed', revision }))]);
  expect(await acceptDocument(db, newDocument({ documentId: 'mixed' }))).toMatchObject({
    job: { revision: revision + 1 },
  });
});

test('the job is analysing when its event was read back, and completes as one that came by Kafka does', async () => {
  const { job } = await acceptDocument(db, newDocument());
  const event = (await readIngestedEvents(db, [job.id])).get(job.id)?.event;
  if (event === undefined) throw new Error('the event of the job');
  await assemble(db, [openedFact(event)]);
  expect(await getJob(db, tenantId, job.id)).toMatchObject({
    state: 'analysing',
    sequence: 2,
    deadlineAt: job.deadlineAt,
  });
  await assemble(db, allOutcomes(event));
  expect(await getJob(db, tenantId, job.id)).toMatchObject({ state: 'complete', resultVersion: 1 });
});

test('a fault in one of several documents that wait together is its own alone', async () => {
  const documents = [
    newDocument({ documentId: 'good' }),
    newDocument({ documentId: 'nul', metadata: { a: 'b\0c' } }),
    newDocument({ documentId: 'unknown-analysis', requestedAnalyses: ['summary', 'horoscope'] }),
    newDocument({ documentId: 'unknown-tenant', tenantId: 'stranger' }),
    newDocument({ documentId: 'good-too' }),
  ];
  const answers = await Promise.allSettled(documents.map((document) => acceptDocument(db, document)));
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled']);
  expect(answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []))).toMatchObject([
    { code: 'INVALID_EVENT' },
    { code: 'INVALID_EVENT', message: expect.stringContaining('horoscope') },
    { code: 'UNKNOWN_TENANT' },
  ]);
  expect(await counts()).toEqual({ document: 2, document_revision: 2, job: 2, job_event: 2, outbox: 2 });
});

test('nothing of an acceptance is there when its connection dies before the commit, and sending it again accepts it', async () => {
  // The lock of the spec holds the acceptance up in the middle of its transaction.
  const holder = await db.connectDirectly('holder');
  await acceptDocument(db, newDocument());
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE job_event IN SHARE MODE');
  const accepting = acceptDocument(db, newDocument({ text: 'Cut off.' }));
  const failure = accepting.catch((error: unknown) => error);
  await terminateWaiting(holder);
  expect(await failure).toBeInstanceOf(DependencyUnavailable);
  await holder.query('COMMIT');
  await holder.end();
  expect(await counts()).toEqual({ document: 1, document_revision: 1, job: 1, job_event: 1, outbox: 1 });
  expect(await acceptDocument(db, newDocument({ text: 'Cut off.' }))).toMatchObject({
    created: true,
    job: { revision: 2 },
  });
});

/** Ends the connection that waits for a lock, as soon as there is one. */
async function terminateWaiting(holder: Awaited<ReturnType<Database['connectDirectly']>>): Promise<void> {
  const statement = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  let ended = 0;
  while (ended === 0) ended = (await holder.query(statement)).rowCount ?? 0;
}
