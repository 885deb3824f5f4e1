import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ingestedEventIdOf, parseTraceparent } from '@anabranch/contracts';
import { eventually, testAddress } from '@anabranch/test-support';
import { readTopic } from './fixtures/ingested-topic.js';
import { clientOf, Installation, RunningIngestion } from './fixtures/running-ingestion.js';
import { SeverableProxy } from './fixtures/severable-proxy.js';

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.create();
});

afterAll(() => installation.remove());

const count = async (table: string, tenantId: string): Promise<number> => {
  const [row] = await installation.db.query(`SELECT count(*)::integer AS n FROM ${table} WHERE tenant_id = $1`, [
    tenantId,
  ]);
  return Number(row?.n);
};

interface Job {
  id: string;
  documentId: string;
}

describe('what was accepted', () => {
  it('is published once Kafka is back, each document once, by whichever process is there', async () => {
    const { tenantId, key } = await installation.key();
    const kafka = await SeverableProxy.before(`tcp://${testAddress('kafka')}`);
    kafka.cut();
    const withoutKafka = await RunningIngestion.start(installation, { kafkaBrokers: [kafka.address] });
    const client = clientOf(withoutKafka, key);
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => client.postJson({ text: `Text ${index}`, documentId: `d-${index}` })),
    );
    expect(responses.every(({ status }) => status === 202)).toBe(true);
    const jobs = (await Promise.all(responses.map((response) => response.json()))) as Job[];
    expect(await count('outbox', tenantId)).toBe(100);
    expect(withoutKafka.faults()).toEqual({});
    await withoutKafka.stop();
    // What of the client still tries to connect ends when it succeeds.
    kafka.restore();

    const withKafka = await RunningIngestion.start(installation);
    const topic = await readTopic(tenantId);
    await eventually(() => topic.published.length >= 100);
    await eventually(async () => (await count('outbox', tenantId)) === 0);
    await topic.stop();
    await withKafka.stop();
    await kafka.close();
    expect(new Set(topic.published.map(({ event }) => event.eventId))).toEqual(
      new Set(jobs.map(({ id }) => ingestedEventIdOf(id))),
    );
    expect(topic.published.every(({ key: recordKey, event }) => recordKey === event.documentId)).toBe(true);
  });

  it('is on the topic within moments, in the trace of its request and with all that was said of it', async () => {
    const { tenantId, key } = await installation.key();
    const ingestion = await RunningIngestion.start(installation);
    const topic = await readTopic(tenantId);
    const client = clientOf(ingestion, key);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const document = { text: 'Zoë', documentId: 'traced', analyses: ['summary'], metadata: { author: 'Ada' } };
    const response = await client.postJson(document, { traceparent, 'x-request-id': 'request-7' });
    const job = (await response.json()) as Job;
    const [record] = await eventually(() => topic.published.length > 0 && topic.published);
    await topic.stop();
    await ingestion.stop();
    expect(response.headers.get('x-request-id')).toBe('request-7');
    expect(record?.event).toMatchObject({
      tenantId,
      jobId: job.id,
      documentId: 'traced',
      revision: 1,
      text: 'Zoë',
      textRef: null,
      mediaType: 'text/plain',
      charset: 'utf-8',
      requestedAnalyses: ['summary'],
      metadata: { author: 'Ada' },
      correlationId: 'request-7',
    });
    const trace = parseTraceparent(record?.traceparent);
    expect(trace?.traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
    expect(trace?.spanId).not.toBe('00f067aa0ba902b7');
  });

  it('keeps the order of a document’s revisions', async () => {
    const { tenantId, key } = await installation.key();
    const ingestion = await RunningIngestion.start(installation);
    const client = clientOf(ingestion, key);
    for (let revision = 1; revision <= 20; revision++) await client.postJson({ text: `v${revision}`, documentId: 'd' });
    const topic = await readTopic(tenantId);
    await eventually(() => topic.published.length >= 20);
    await topic.stop();
    await ingestion.stop();
    expect(topic.published.map(({ event }) => event.revision)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });
});

describe('when Postgres is down', () => {
  let proxy: SeverableProxy;
  let ingestion: RunningIngestion;

  beforeAll(async () => {
    proxy = await SeverableProxy.before(installation.postgresUrl);
    ingestion = await RunningIngestion.start(installation, { postgresUrl: proxy.url });
  });

  afterAll(async () => {
    await ingestion.stop();
    await proxy.close();
  });

  it('nothing is accepted and everything is 503 with a Retry-After, until it is back', async () => {
    const { tenantId, key } = await installation.key();
    const client = clientOf(ingestion, key);
    const job = (await (await client.postJson({ text: 'before' })).json()) as Job;
    proxy.cut();
    const responses = await Promise.all([
      client.postJson({ text: 'during', documentId: 'during' }),
      client.get(`/v1/jobs/${job.id}`),
      client.get(`/v1/jobs/${job.id}/result`),
      client.get(`/v1/jobs/${job.id}/text`),
      client.get('/v1/jobs'),
    ]);
    for (const response of responses) {
      expect(response.status).toBe(503);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await response.json()).toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE', dependency: 'postgres' });
    }
    await eventually(() => 'postgres' in ingestion.faults());
    proxy.restore();
    expect(await count('job', tenantId)).toBe(1);
    await eventually(async () => (await client.postJson({ text: 'during', documentId: 'during' })).status === 202);
    await eventually(() => Object.keys(ingestion.faults()).length === 0);
  });

  it('a key that is still remembered does not hide it', async () => {
    const { key } = await installation.key();
    const remembering = await RunningIngestion.start(installation, { postgresUrl: proxy.url, cacheMs: 60_000 });
    const client = clientOf(remembering, key);
    expect((await client.get('/v1/jobs')).status).toBe(200);
    proxy.cut();
    const responses = [await client.postJson({ text: 'x' }), await client.get('/v1/jobs')];
    expect(responses.map(({ status }) => status)).toEqual([503, 503]);
    proxy.restore();
    await remembering.stop();
  });
});

describe('when the object store is down', () => {
  /** Whoever looks whether the store is there makes its folder anew, also between the two. */
  const breakStore = (folder: string) =>
    eventually(async () => {
      await rm(folder, { recursive: true, force: true });
      await writeFile(folder, 'a file in its place');
      return true;
    });

  it('a text that must lie there is not accepted; one that travels inline is', async () => {
    const { tenantId, key } = await installation.key();
    const folder = join(installation.folder, 'store');
    const ingestion = await RunningIngestion.start(installation, { objectStoreDir: folder });
    const client = clientOf(ingestion, key);
    const long = { text: 'long '.repeat(5_000), documentId: 'long' };
    await breakStore(folder);
    const refused = await client.postJson(long);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBeTruthy();
    expect(await refused.json()).toMatchObject({ code: 'DEPENDENCY_UNAVAILABLE', dependency: 'object-store' });
    expect(await count('job', tenantId)).toBe(0);
    expect((await client.postJson({ text: 'short' })).status).toBe(202);
    await eventually(() => 'object-store' in ingestion.faults());
    await rm(folder);
    expect((await client.postJson(long)).status).toBe(202);
    await ingestion.stop();
  });

  it('a text that was stored there is 503, not missing, until it is back', async () => {
    const { key } = await installation.key();
    const folder = join(installation.folder, 'movable');
    await mkdir(folder);
    const ingestion = await RunningIngestion.start(installation, { objectStoreDir: folder });
    const client = clientOf(ingestion, key);
    const text = 'stored '.repeat(5_000);
    const job = (await (await client.postJson({ text })).json()) as Job;
    await rename(folder, `${folder}-away`);
    await breakStore(folder);
    expect((await client.get(`/v1/jobs/${job.id}/text`)).status).toBe(503);
    await eventually(async () => {
      await rm(folder, { recursive: true, force: true });
      await rename(`${folder}-away`, folder);
      return true;
    });
    expect(await (await client.get(`/v1/jobs/${job.id}/text`)).text()).toBe(text);
    await ingestion.stop();
  });
});
