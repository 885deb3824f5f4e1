import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { allComplete, distinct, postAll as postEach } from '../src/backlog.js';
import { caughtUp, endsOf, setBack, type Positions } from '../src/consumer-groups.js';
import { doorAt, type Door } from '../src/door.js';
import { startModelStub, type ModelStub } from '../src/model-stub.js';
import { createOwnServices, type OwnService } from '../src/own-services.js';
import { eventually, unique } from '../src/platform.js';
import { rows } from '../src/tables.js';
import { createTenant } from '../src/tenant.js';
import { dump, publish } from '../src/topics.js';

jest.setTimeout(300_000);

/** By hand, more of what is many. */
const scale = Number(process.env['ANABRANCH_E2E_SCALE'] ?? 1);

const group = 'anabranch.summary';
const services = createOwnServices();
const running = new Map<string, OwnService>();
const bought: string[] = [];
let stub: ModelStub;
let door: Door;
let begin: Positions;
let callsBefore = 0;

const env = (): Record<string, string> => ({
  ...stub.env,
  ANABRANCH_LEDGER_LEASE_MS: '60000',
  ANABRANCH_MODEL_MAX_IN_FLIGHT: '32',
  ANABRANCH_TENANT_POSTS_PER_SECOND: '100000',
  ANABRANCH_TENANT_OUTSTANDING_JOBS: '100000',
});

const calls = () => stub.calls().slice(callsBefore);
const keys = (): Set<string> => new Set(calls().map(({ idempotencyKey }) => idempotencyKey));

const summaryOf = (text: string, more: Record<string, unknown> = {}) =>
  door.submit({ documentId: crypto.randomUUID(), text, analyses: ['summary'], ...more });

/** Returns the jobs' ids. */
const postAll = (texts: readonly string[]): Promise<string[]> => postEach(door, texts);

const startSummary = async (options: Parameters<typeof services.start>[1] = {}): Promise<OwnService> => {
  const service = await services.start('summary', { env: env(), ...options });
  running.set('summary', service);
  return service;
};

const summary = (): OwnService => running.get('summary')!;

beforeAll(async () => {
  [stub, begin] = await Promise.all([startModelStub(['summary']), endsOf('document.ingested')]);
  const [ingestion, collection] = await Promise.all([
    services.start('ingestion', { env: env() }),
    services.start('collection', { env: env() }),
    startSummary(),
  ]);
  running.set('ingestion', ingestion).set('collection', collection);
  door = doorAt(ingestion.url);
});

beforeEach(() => {
  stub.always({ kind: 'answer', delayMs: 0 });
  callsBefore = stub.calls().length;
});

afterAll(async () => {
  await services.end();
  await stub.close();
});

describe('what is asked of a model', () => {
  it('is asked once for each of a thousand different documents', async () => {
    const jobs = await postAll(distinct('different', 1_000));
    await allComplete(jobs);
    expect({ calls: calls().length, keys: keys().size }).toEqual({ calls: 1_000, keys: 1_000 });
    bought.push(...jobs);
  });

  it('is asked once while the same is uploaded again and again, as the same document or another', async () => {
    stub.always({ kind: 'answer', delayMs: 1_000 });
    const text = `${unique('twice')}: Lima met.`;
    const documentId = crypto.randomUUID();
    const same = Array.from({ length: 20 }, () => summaryOf(text, { documentId }));
    const others = Array.from({ length: 20 }, () => summaryOf(text));
    const jobs = [...new Set((await Promise.all([...same, ...others])).map(({ id }) => id))];
    expect(jobs).toHaveLength(21);
    await allComplete(jobs);
    expect(calls()).toHaveLength(1);
  });

  it('is not asked again when all is delivered again: records twice in the topic, and the group set back to the beginning', async () => {
    const ids = new Set(bought);
    const records = (await dump('document.ingested')).filter(({ event }) => ids.has(String(event['jobId'])));
    expect(new Set(records.map(({ event }) => event['jobId'])).size).toBe(1_000);
    await publish(
      'document.ingested',
      records.map(({ key, event }) => ({ key, event })),
    );
    await caughtUp(group, 'document.ingested');
    await summary().stop({ isRemoved: true });
    await setBack(group, 'document.ingested', begin);
    await startSummary();
    await caughtUp(group, 'document.ingested');
    await caughtUp('anabranch.collection', 'analysis.summary.finished');
    expect(calls()).toEqual([]);
    const published = (await dump('analysis.summary.finished')).filter(({ event }) => ids.has(String(event['jobId'])));
    expect(published.length).toBeGreaterThanOrEqual(3_000);
    expect(new Set(published.map(({ event }) => event['eventId'])).size).toBe(1_000);
    const versions = await rows('SELECT DISTINCT result_version FROM job WHERE id = ANY($1::uuid[])', [bought]);
    expect(versions).toEqual([{ result_version: 1 }]);
  });

  it('is asked once while a second process joins, and leaves again', async () => {
    stub.always({ kind: 'answer', delayMs: 1_000 });
    const jobs = await postAll(distinct('moving', 400));
    const second = await services.start('summary', { env: env(), instance: 1 });
    await eventually('both work', () => Promise.resolve(calls().length > 150 ? true : undefined));
    await second.stop({ isRemoved: true });
    await allComplete(jobs);
    expect({ calls: calls().length, keys: keys().size }).toEqual({ calls: 400, keys: 400 });
  });

  it('holds no slot for those who wait: a thousand documents with one text make one call, and others pass them', async () => {
    const recover = stub.when('everybody', { kind: 'answer', delayMs: 600_000 });
    const waiting = await postAll(
      Array.from({ length: 1_000 * scale }, () => `${unique('shared')}: Rome met everybody.`),
    );
    await eventually('all wait for one call', async () => {
      const [row] = await rows<{ count: number }>('SELECT count(*)::integer FROM pin WHERE job_id = ANY($1::uuid[])', [
        waiting,
      ]);
      return row?.count === waiting.length ? true : undefined;
    });
    await allComplete(await postAll(distinct('passes', 50)));
    expect(calls().length).toBe(51);
    // Its call is broken off, and made once more.
    recover();
    summary().kill();
    await allComplete(waiting);
    expect({ calls: calls().length, keys: keys().size }).toEqual({ calls: 52, keys: 51 });
  });

  it('is asked for each tenant by itself', async () => {
    const text = `${unique('tenants')}: Oslo met in secret.`;
    const other = doorAt(running.get('ingestion')!.url, (await createTenant('other-payer')).apiKey);
    const jobs = await Promise.all([summaryOf(text), other.submit({ documentId: 'one', text, analyses: ['summary'] })]);
    await allComplete(jobs.map(({ id }) => id));
    expect({ calls: calls().length, keys: keys().size }).toEqual({ calls: 2, keys: 2 });
  });
});

describe('a model that is down', () => {
  it('defers its runs, each job says why, and they go on from one probe when it is back', async () => {
    stub.always({ kind: 'error', status: 503 });
    const jobs = await postAll(distinct('outage', 12));
    const [first] = jobs;
    await eventually('all are deferred', async () => {
      const [row] = await rows<{ count: number }>(
        'SELECT count(*)::integer FROM deferred WHERE job_id = ANY($1::uuid[])',
        [jobs],
      );
      return row?.count === 12 ? true : undefined;
    });
    expect(await door.job(first!)).toMatchObject({
      state: 'analysing',
      analyses: { summary: 'waiting' },
      waits: { summary: { reason: 'PROVIDER_UNAVAILABLE' } },
    });
    // Still down: of all whose wait is over one is tried.
    callsBefore = stub.calls().length;
    await rows('UPDATE deferred SET due_at = now() WHERE job_id = ANY($1::uuid[])', [jobs]);
    await eventually('one is tried, and deferred again', async () =>
      (await rows('SELECT 1 FROM deferred WHERE job_id = ANY($1::uuid[]) AND release > 0', [jobs])).length > 0
        ? true
        : undefined,
    );
    expect(keys().size).toBeLessThanOrEqual(2);
    stub.always({ kind: 'answer', delayMs: 0 });
    await rows('UPDATE deferred SET due_at = now() WHERE job_id = ANY($1::uuid[])', [jobs]);
    await allComplete(jobs);
    const answered = calls().filter(({ outcome }) => outcome === 'answer');
    expect({ answered: answered.length, keys: keys().size }).toEqual({ answered: 12, keys: 12 });
    expect((await door.job(first!)).waits).toBeUndefined();
  });
});
