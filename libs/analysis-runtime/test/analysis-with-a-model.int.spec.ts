import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createDatabase, databaseConfig, type Database } from '@anabranch/database';
import { jobIdOf } from '@anabranch/contracts';
import { type FakeServer, startFakeServer } from '@anabranch/language-model/testing';
import { eventually } from '@anabranch/test-support';
import { createTestDatabase } from '@anabranch/test-support/postgres';
import { askingWith, promptOf } from './fixtures/asking.analysis.js';
import { createInstallation } from './fixtures/installation.js';

jest.setTimeout(60_000);

const installation = createInstallation();
const { publish, outcomeOf, outcomesOf, settled, failures } = installation;
let server: FakeServer;
let db: Database;
let postgres: Awaited<ReturnType<typeof createTestDatabase>>;
let stopService: () => Promise<void>;

const settings = () => ({
  summaryEngine: 'model',
  modelBaseUrl: server.baseUrl,
  model: 'small',
  modelApiKey: 'key',
  modelProvider: 'fake',
  postgresUrl: postgres.url,
  ledgerLeaseMs: 1_000,
});

beforeAll(async () => {
  [server, postgres] = await Promise.all([startFakeServer(), createTestDatabase(), installation.start()]);
  db = await createDatabase(databaseConfig.parse({ postgresUrl: postgres.url }), { name: 'spec' });
  stopService = await installation.startService(askingWith(promptOf('1')), settings());
});
beforeEach(() => server.follow({}));

afterAll(async () => {
  await installation.close();
  await db.close();
  await postgres.drop();
  await server.close();
});

const callsSince = (before: number) => server.calls().slice(before);

describe('an analysis that is switched to a model by its settings', () => {
  it('asks the server, and says who answered', async () => {
    const { documentId } = await publish({ text: 'Geneva met.' });
    const { event } = await outcomeOf(documentId);
    expect(event).toMatchObject({
      outcome: { status: 'DONE', result: { kind: 'ABSTRACTIVE', text: 'Geneva' } },
      engine: { kind: 'MODEL', name: 'fake', model: 'small', promptVersion: '1' },
      usage: { attempts: 1, boughtOrReused: 'BOUGHT' },
    });
  });

  it('asks once about equal documents, however many there are, and each outcome says whether it paid', async () => {
    server.follow({ always: { kind: 'answer', delayMs: 300 } });
    const before = server.counts().calls;
    const documents = await Promise.all(Array.from({ length: 40 }, () => publish({ text: 'Lima met, often.' })));
    const published = await Promise.all(documents.map(({ documentId }) => outcomeOf(documentId)));
    expect(callsSince(before)).toHaveLength(1);
    const paid = published.filter(({ event }) => event.usage?.boughtOrReused === 'BOUGHT');
    expect(paid).toHaveLength(1);
  });

  it('does not let another tenant have an answer', async () => {
    const before = server.counts().calls;
    const text = 'Oslo met in secret.';
    const [one, other] = await Promise.all([publish({ text }), publish({ text, tenantId: 'other' })]);
    await Promise.all([outcomeOf(one.documentId), outcomeOf(other.documentId)]);
    expect(new Set(callsSince(before).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  });

  it('asks again with the same key after a failure that passes', async () => {
    server.follow({ next: [{ kind: 'error', status: 503, retryAfterMs: 10 }, { kind: 'reset' }] });
    const before = server.counts().calls;
    const { documentId } = await publish({ text: 'Rome met again and again.' });
    expect((await outcomeOf(documentId)).event.outcome.status).toBe('DONE');
    const keys = callsSince(before).map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it('keeps a run whose wait is long in Postgres, by the model that it waits for, and goes on with others', async () => {
    server.follow({ rules: [{ contains: 'Bern', behaviour: { kind: 'error', status: 429, retryAfter: '90' } }] });
    const { documentId } = await publish({ text: 'Bern waits.' });
    const other = await publish({ text: 'Paris does not.' });
    await outcomeOf(other.documentId);
    const jobId = jobIdOf({ tenantId: 'acme', documentId, revision: 1 });
    const row = await eventually(async () => {
      const [found] = await db.query<{ due_at: Date }>('SELECT * FROM deferred WHERE job_id = $1', [jobId]);
      return found;
    });
    expect(row).toMatchObject({ analysis: 'summary', run: 1, reason: 'RETRY_LATER', dependency: 'fake small' });
    expect(row.due_at.getTime()).toBeGreaterThan(Date.now() + 60_000);
    await settled();
    expect(outcomesOf(documentId)).toEqual([]);
  });

  it('publishes a refusal of the model as one, with what it cost', async () => {
    server.follow({ next: [{ kind: 'refusal' }] });
    const { documentId } = await publish({ text: 'Kiel met.' });
    expect((await outcomeOf(documentId)).event).toMatchObject({
      outcome: { status: 'REFUSED', refusal: { code: 'MODEL_REFUSED', provider: 'fake' } },
      usage: { attempts: 1 },
    });
  });

  it('names the failure of a reply that stays bad, and does not pay for it again', async () => {
    const before = server.counts().calls;
    server.follow({ rules: [{ contains: 'Turin', behaviour: { kind: 'schema-violation' } }] });
    const one = await publish({ text: 'Turin met.' });
    expect((await outcomeOf(one.documentId)).event).toMatchObject({
      outcome: { status: 'FAILED', failure: { code: 'BAD_OUTPUT' } },
      usage: { attempts: 2, boughtOrReused: 'BOUGHT' },
    });
    const other = await publish({ text: 'Turin met.' });
    expect((await outcomeOf(other.documentId)).event).toMatchObject({
      outcome: { status: 'FAILED', failure: { code: 'BAD_OUTPUT' } },
      usage: { attempts: 2, boughtOrReused: 'REUSED' },
    });
    expect(callsSince(before)).toHaveLength(2);
  });

  it('answers what is redelivered to its next process, with another prompt, as it was', async () => {
    const document = await publish({ text: 'Cairo met before.' });
    const first = await outcomeOf(document.documentId);
    await settled();
    await stopService();
    stopService = await installation.startService(askingWith(promptOf('2'), promptOf('1')), settings());
    const before = server.counts().calls;
    await installation.producer.publish('document.ingested', document);
    const [, again] = await eventually(() => {
      const found = outcomesOf(document.documentId);
      return found.length === 2 && found;
    });
    expect(again?.event).toEqual({ ...first.event, occurredAt: again?.event.occurredAt });
    expect(callsSince(before)).toEqual([]);
    const { documentId } = await publish({ text: 'Cairo met after.' });
    expect((await outcomeOf(documentId)).event.engine).toMatchObject({ promptVersion: '2' });
  });

  it('never asked its host to stop', () => {
    expect(failures).toEqual([]);
  });
});
