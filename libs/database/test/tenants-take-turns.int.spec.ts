import type { DocumentIngested } from '@anabranch/contracts';
import { eventually } from '@anabranch/test-support';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createTenant } from '../src/access/index.js';
import type { Database } from '../src/index.js';
import { acceptDocument, cancelJob, readIngestedEvents, type RenderedEvent } from '../src/jobs/index.js';
import { createRelay, type Relay } from '../src/outbox/index.js';
import { newDocument, openTestDatabase, tenantId } from './fixtures.js';

type Event = RenderedEvent<DocumentIngested>;

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let db: Database;
let close: () => Promise<void>;
let relay: Relay | null;
let published: DocumentIngested[];

beforeEach(async () => {
  ({ db, close } = await openTestDatabase());
  await createTenant(db, 'globex');
  relay = null;
  published = [];
});
afterEach(async () => {
  await relay?.stop();
  await close();
});

function start(
  maxOutstanding: number,
  options: { maxRows?: number; sweepMs?: number; abandonedMs?: number } = {},
): void {
  const publish = ({ event }: Event): Promise<void> => {
    published.push(event);
    return Promise.resolve();
  };
  relay = createRelay<Event>(db, {
    topic: 'document.ingested',
    render: (rowIds) => readIngestedEvents(db, rowIds),
    openProducer: () => ({ publish, stop: () => Promise.resolve() }),
    log: silent,
    metrics: new Registry(),
    sweepMs: 30,
    maxOutstanding,
    ...options,
  });
  relay.start();
}

const accept = (documentId: string, tenant = tenantId) =>
  acceptDocument(db, newDocument({ tenantId: tenant, documentId, text: documentId }));

const acceptMany = (count: number, tenant = tenantId) =>
  Promise.all(Array.from({ length: count }, (_, at) => accept(`document-${at}`, tenant)));

const of = (tenant: string): DocumentIngested[] => published.filter((event) => event.tenantId === tenant);

const waiting = async (tenant: string): Promise<number> =>
  (await db.query('SELECT FROM outbox WHERE tenant_id = $1', [tenant])).length;

const finishAnalyses = (jobIds: readonly string[]) =>
  db.query(`UPDATE job_analysis SET effective_status = 'done' WHERE job_id = ANY($1::uuid[])`, [jobIds]);

const settle = async (jobIds: readonly string[]) => {
  await finishAnalyses(jobIds);
  await db.query(`UPDATE job SET state = 'complete' WHERE id = ANY($1::uuid[])`, [jobIds]);
};

const cancel = (jobIds: readonly string[]) =>
  Promise.all(jobIds.map((jobId) => cancelJob(db, { tenantId, jobId, reason: 'Not wanted.', causationId: 'spec' })));

const jobsOf = (events: readonly DocumentIngested[]): string[] => events.map(({ jobId }) => jobId);

test('a tenant at its bound waits for its own jobs, and another tenant’s document goes past them', async () => {
  await acceptMany(60);
  start(10);
  await eventually(async () => (await waiting(tenantId)) === 50);
  await accept('single', 'globex');
  await eventually(async () => (await waiting('globex')) === 0);
  expect(of('globex')).toHaveLength(1);
  expect(of(tenantId)).toHaveLength(10);
  await settle(jobsOf(of(tenantId).slice(0, 4)));
  await eventually(async () => (await waiting(tenantId)) === 46);
  expect(of(tenantId)).toHaveLength(14);
});

test('all is published in the end, each document once, never with more outstanding than the bound', async () => {
  await acceptMany(60);
  start(10);
  let settled = 0;
  while (settled < 60) {
    await eventually(() => published.length > settled);
    expect(published.length - settled).toBeLessThanOrEqual(10);
    const next = published.slice(settled);
    // Counted before they settle: what is published meanwhile is outstanding.
    settled += next.length;
    await settle(jobsOf(next));
  }
  await eventually(async () => (await waiting(tenantId)) === 0);
  expect(new Set(published.map(({ jobId }) => jobId)).size).toBe(60);
  expect(published).toHaveLength(60);
});

test('what a former owner of the topic has published is outstanding for the next one', async () => {
  await acceptMany(30);
  start(10);
  await eventually(async () => (await waiting(tenantId)) === 20);
  await relay?.stop();
  start(10);
  await accept('probe', 'globex');
  await eventually(async () => (await waiting('globex')) === 0);
  expect(of(tenantId)).toHaveLength(10);
});

test('jobs that are withdrawn while they are worked on are outstanding until that is done', async () => {
  await acceptMany(30);
  start(10, { abandonedMs: 600_000 });
  await eventually(async () => (await waiting(tenantId)) === 20);
  const first = jobsOf(of(tenantId));
  await cancel(first);
  await finishAnalyses(first.slice(0, 4));
  await eventually(() => of(tenantId).length >= 14);
  // The look that made room for four has seen the other six as well.
  expect(of(tenantId)).toHaveLength(14);
});

test('and not for ever, although their analyses never say anything', async () => {
  await acceptMany(30);
  start(10, { abandonedMs: 300 });
  await eventually(async () => {
    await cancel(jobsOf(of(tenantId)));
    return published.length === 30;
  });
});

test('a backlog of several tenants is published in turns', async () => {
  await acceptMany(40);
  await acceptMany(3, 'globex');
  start(1_000, { maxRows: 8 });
  await eventually(() => published.length === 43);
  const last = published.findLastIndex((event) => event.tenantId === 'globex');
  expect(last).toBeLessThan(16);
});

test('a document’s revisions come in order although its tenant is held', async () => {
  for (let revision = 1; revision <= 12; revision++)
    await acceptDocument(db, newDocument({ documentId: 'one', text: `Text ${revision}` }));
  start(2, { abandonedMs: 0 });
  await eventually(() => published.length === 12);
  expect(published.map(({ revision }) => revision)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
});

test('rows of an accepting transaction that is held open while later ones commit are published, in turns, too', async () => {
  start(1_000);
  const held = await db.connectDirectly('held');
  await held.query('BEGIN');
  const { job } = await accept('source');
  await eventually(() => published.length === 1);
  await held.query(
    `INSERT INTO outbox (topic, row_id, tenant_id, document_id) VALUES ('document.ingested', $1, 'acme', 'held')`,
    [job.id],
  );
  for (let at = 0; at < 30; at++) await accept(`later-${at}`);
  await eventually(async () => published.length === 31 && (await waiting(tenantId)) === 0);
  await held.query('COMMIT');
  await held.end();
  await eventually(async () => published.length === 32 && (await waiting(tenantId)) === 0);
});
