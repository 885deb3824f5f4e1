import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import {
  assemble,
  cancelJob,
  commandOutbox,
  deferRun,
  dueDependencies,
  followReleased,
  getJob,
  readRequestedEvents,
  releaseRuns,
} from '../src/jobs/index.js';
import { createTenant } from '../src/access/index.js';
import { ingested, openedFact, openTestDatabase, outcomeFact, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
  await createTenant(db, 'large');
});
afterAll(() => close());

const askedAt = Date.parse('2026-01-02T03:04:05.678Z');

const openDocument = async (documentId: string, tenant = tenantId) => {
  const document = ingested({ documentId, tenantId: tenant });
  await assemble(db, [openedFact(document)]);
  return document;
};

const defer = (
  document: ReturnType<typeof ingested>,
  dependency: string,
  waitMs = 0,
  patienceMs?: number,
): Promise<boolean> => {
  const { jobId, documentId, tenantId: tenant } = document;
  const address = { jobId, documentId, tenantId: tenant, analysis: 'summary', run: 1 };
  return deferRun(db, { ...address, reason: 'QUOTA', dependency, askedAt, waitMs }, patienceMs);
};

const commandsOf = async (jobId: string) => {
  const rows = await db.query<{ id: string; run: number; cause: string }>(
    'SELECT c.id, c.run, c.cause FROM command c JOIN outbox o ON o.row_id = c.id AND o.topic = $2 WHERE c.job_id = $1',
    [jobId, commandOutbox],
  );
  return rows;
};

test('a run is released when its wait is over, and not before, as a command with the same run, asked for when it was', async () => {
  const [now, later] = [await openDocument('now'), await openDocument('later')];
  await defer(now, 'p1');
  await defer(later, 'p1', 3_600_000);
  expect((await dueDependencies(db)).get('p1')).toBe(1);
  expect(await releaseRuns(db, { dependency: 'p1', limit: 10 })).toEqual([
    { jobId: now.jobId, analysis: 'summary', run: 1 },
  ]);
  const [command] = await commandsOf(now.jobId);
  expect(command).toMatchObject({ run: 1, cause: 'RELEASED' });
  const rendered = (await readRequestedEvents(db, [command?.id ?? ''])).get(command?.id ?? '');
  expect(rendered).toMatchObject({
    analysis: 'summary',
    event: { run: 1, cause: 'RELEASED', askedAt, text: now.text },
  });
  expect(await commandsOf(later.jobId)).toEqual([]);
});

test('each release of a run is a command of its own, and what became of it can be followed', async () => {
  const document = await openDocument('again');
  await defer(document, 'p2');
  const released = await releaseRuns(db, { dependency: 'p2', limit: 10 });
  expect(await followReleased(db, released)).toEqual({ deferredAgain: 0, pending: 1 });
  await defer(document, 'p2');
  expect(await followReleased(db, released)).toEqual({ deferredAgain: 1, pending: 0 });
  await releaseRuns(db, { dependency: 'p2', limit: 10 });
  expect(new Set((await commandsOf(document.jobId)).map(({ id }) => id)).size).toBe(2);
  await assemble(db, [outcomeFact('summary', document)]);
  expect(await followReleased(db, released)).toEqual({ deferredAgain: 0, pending: 0 });
});

test('tenants take turns: many waiting runs of one do not stand before the one of another', async () => {
  for (let number = 0; number < 5; number += 1) await defer(await openDocument(`large-${number}`, 'large'), 'p3');
  const small = await openDocument('small');
  await defer(small, 'p3');
  const released = await releaseRuns(db, { dependency: 'p3', limit: 2 });
  expect(released.map(({ jobId }) => jobId)).toContain(small.jobId);
});

test('two that release at once release each run once', async () => {
  const document = await openDocument('at-once');
  await defer(document, 'p4');
  const release = () => releaseRuns(db, { dependency: 'p4', limit: 10 });
  expect((await Promise.all([release(), release(), release()])).flat()).toHaveLength(1);
  expect(await commandsOf(document.jobId)).toHaveLength(1);
});

test('a run of a cancelled job is forgotten', async () => {
  const document = await openDocument('cancelled');
  await defer(document, 'p5');
  await cancelJob(db, { tenantId, jobId: document.jobId, reason: 'No longer wanted.', causationId: 'r' });
  expect(await releaseRuns(db, { dependency: 'p5', limit: 10 })).toEqual([]);
  expect((await dueDependencies(db)).has('p5')).toBe(false);
  expect(await commandsOf(document.jobId)).toEqual([]);
});

test('a run that was released in vain waits longer each time, and up to ten minutes at most', async () => {
  const document = await openDocument('in-vain');
  const waits: number[] = [];
  for (let release = 0; release < 7; release++) {
    await defer(document, 'growing', 40_000);
    const [row] = await db.query<{ seconds: number }>(
      `UPDATE deferred SET due_at = now() WHERE job_id = $1
       RETURNING round(extract(epoch FROM (SELECT due_at FROM deferred WHERE job_id = $1) - now()))::integer AS seconds`,
      [document.jobId],
    );
    waits.push(row?.seconds ?? 0);
    await releaseRuns(db, { dependency: 'growing', limit: 1 });
  }
  expect(waits).toEqual([40, 80, 160, 320, 600, 600, 600]);
});

test('a job says what its runs wait for, until they are released', async () => {
  const document = await openDocument('says-why');
  await defer(document, 'said', 0);
  expect(await getJob(db, tenantId, document.jobId)).toMatchObject({
    state: 'analysing',
    waits: { summary: { reason: 'QUOTA', until: expect.stringMatching(/^\d{4}-.*Z$/) } },
  });
  await releaseRuns(db, { dependency: 'said', limit: 1 });
  expect(await getJob(db, tenantId, document.jobId)).not.toHaveProperty('waits');
});

test('a job that was withdrawn waits for nobody', async () => {
  const document = await openDocument('withdrawn');
  await defer(document, 'p10', 3_600_000);
  await cancelJob(db, { tenantId, jobId: document.jobId, reason: 'spec', causationId: 'spec' });
  expect(await getJob(db, tenantId, document.jobId)).not.toHaveProperty('waits');
});

test('a run that is released in vain for longer than the patience lasts is kept no more', async () => {
  const document = await openDocument('hopeless');
  const hourMs = 3_600_000;
  expect(await defer(document, 'p11', 0, hourMs)).toBe(true);
  await releaseRuns(db, { dependency: 'p11', limit: 1 });
  expect(await defer(document, 'p11', 0, hourMs)).toBe(true);
  await releaseRuns(db, { dependency: 'p11', limit: 1 });
  await db.query("UPDATE command SET created_at = created_at - interval '61 minutes' WHERE job_id = $1", [
    document.jobId,
  ]);
  expect(await defer(document, 'p11', 0, 2 * hourMs)).toBe(true);
  await releaseRuns(db, { dependency: 'p11', limit: 1 });
  expect(await defer(document, 'p11', 0, hourMs)).toBe(false);
  expect((await dueDependencies(db)).has('p11')).toBe(false);
});
