import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testAddress } from '@anabranch/test-support';
import { eventually } from '@anabranch/test-support';
import { clientOf, Installation, RunningIngestion } from './fixtures/running-ingestion.js';
import { SeverableProxy } from './fixtures/severable-proxy.js';

let installation: Installation;

beforeAll(async () => {
  installation = await Installation.create();
});

afterAll(() => installation.remove());

const refusals = async ({ metrics }: RunningIngestion, limit: string): Promise<number> => {
  const metric = await metrics.getSingleMetric('anabranch_posts_refused_total')?.get();
  return metric?.values.find(({ labels }) => labels.limit === limit)?.value ?? 0;
};

describe('a limit of a tenant', () => {
  it('on unsettled jobs is 429 with its name and when to come again, until one has settled', async () => {
    const ingestion = await RunningIngestion.start(installation, { tenantUnsettledJobs: 3 });
    const client = clientOf(ingestion, (await installation.key()).key);
    const other = clientOf(ingestion, (await installation.key()).key);
    const posts = await Promise.all(Array.from({ length: 9 }, (_, at) => client.postJson({ text: `Text ${at}` })));
    const accepted = posts.filter(({ status }) => status === 202);
    const refused = posts.filter(({ status }) => status === 429);
    expect([accepted.length, refused.length]).toEqual([3, 6]);
    for (const response of refused) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await response.json()).toMatchObject({ code: 'TENANT_LIMIT_REACHED', limit: 'unsettled-jobs', max: 3 });
    }
    expect(await refusals(ingestion, 'unsettled-jobs')).toBe(6);
    expect((await other.postJson({ text: 'Text' })).status).toBe(202);
    const [job] = (await Promise.all(accepted.map((response) => response.json()))) as { id: string }[];
    expect((await client.call(`/v1/jobs/${job?.id}/cancel`, { method: 'POST' })).status).toBe(200);
    expect((await client.postJson({ text: 'Text after' })).status).toBe(202);
    await ingestion.stop();
  });

  it('on posts per second is 429 with its name and when to come again', async () => {
    const ingestion = await RunningIngestion.start(installation, { tenantPostsPerSecond: 1 });
    const client = clientOf(ingestion, (await installation.key()).key);
    const responses = await Promise.all(Array.from({ length: 30 }, () => client.postJson({ text: 'Text' })));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(await refused[0]?.json()).toMatchObject({ code: 'TENANT_LIMIT_REACHED', limit: 'posts-per-second', max: 1 });
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refusals(ingestion, 'posts-per-second')).toBe(refused.length);
    await ingestion.stop();
  });
});

describe('while Kafka is down', () => {
  it('documents are accepted up to the bound, then 503 says so, and all that was accepted is published when it is back', async () => {
    const kafka = await SeverableProxy.before(`tcp://${testAddress('kafka')}`);
    kafka.cut();
    const own = await Installation.create();
    const cut = await RunningIngestion.start(own, { kafkaBrokers: [kafka.address], maxWaitingEvents: 10 });
    const { key } = await own.key();
    const client = clientOf(cut, key);
    const posts = await Promise.all(Array.from({ length: 25 }, (_, at) => client.postJson({ text: `Text ${at}` })));
    expect(posts.filter(({ status }) => status === 202)).toHaveLength(10);
    const refused = posts.filter(({ status }) => status === 503);
    expect(refused).toHaveLength(15);
    for (const response of refused) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await response.json()).toMatchObject({ code: 'BACKLOG_FULL', limit: 'waiting-events', max: 10 });
    }
    expect(await refusals(cut, 'waiting-events')).toBe(15);
    await cut.stop();
    kafka.restore();
    const back = await RunningIngestion.start(own, { maxWaitingEvents: 10 });
    await eventually(async () => (await own.db.query('SELECT FROM outbox')).length === 0);
    expect((await clientOf(back, key).postJson({ text: 'After' })).status).toBe(202);
    expect(await own.db.query('SELECT FROM job')).toHaveLength(11);
    await back.stop();
    await kafka.close();
    await own.remove();
  });
});
