import { describe, expect, it, jest } from '@jest/globals';
import { eventually, unique, type Job } from '../src/platform.js';
import { createTenant, type Tenant } from '../src/tenant.js';
import { dump, type TopicRecord } from '../src/topics.js';

jest.setTimeout(120_000);

const text = 'The quarterly invoice is attached. Please write to ada@example.com.';

const eventsOf = async (topic: string, { id }: Job): Promise<TopicRecord[]> =>
  (await dump(topic)).filter(({ event }) => event['jobId'] === id);

const labelOf = async (tenant: Tenant, { id }: Job): Promise<unknown> => {
  const { results } = await tenant.resultOf(id);
  return (results['classification'] as { label: string | null }).label;
};

const runAgain = (tenant: Tenant, { id }: Job, expectedRun: number) =>
  tenant.ask('POST', `/v1/jobs/${id}/analyses/classification/runs`, { expectedRun });

describe('one more run of an analysis', () => {
  it('goes by the newest rules, and settles the job again with a higher number', async () => {
    const tenant = await createTenant('runs');
    const job = await tenant.submit({ documentId: unique('run'), text, analyses: ['classification', 'compliance'] });
    const before = await labelOf(tenant, job);
    const taxonomy = { threshold: 0, labels: [{ name: 'my-own-label', keywords: ['invoice'] }] };
    const { body: stored } = await tenant.ask<{ effectiveFrom: string }>('PUT', '/v1/taxonomies/default', taxonomy);
    await eventually('the taxonomy is in force', () =>
      Promise.resolve(Date.now() > Date.parse(stored.effectiveFrom) ? true : undefined),
    );
    expect(await labelOf(tenant, job)).toBe(before);

    expect(await runAgain(tenant, job, 1)).toMatchObject({ status: 202, body: { run: 2, analysis: 'classification' } });
    expect(await runAgain(tenant, job, 1)).toMatchObject({ status: 409, body: { code: 'RUN_MOVED', wantedRun: 2 } });
    const upgraded = await eventually('the job settles again', async () => {
      const result = await tenant.resultOf(job.id);
      return result.resultVersion === 2 ? result : undefined;
    });
    expect(upgraded.state).toBe('complete');
    expect(upgraded.receipt.analyses['classification']).toMatchObject({ outcome: 'done', run: 2 });
    expect(upgraded.receipt.analyses['compliance']).toMatchObject({ outcome: 'done', run: 1 });
    expect(await labelOf(tenant, job)).toBe('my-own-label');

    const commands = await eventsOf('analysis.classification.requested', job);
    expect(commands.map(({ event }) => [event['run'], event['cause']])).toEqual([[2, 'RERUN']]);
    const enriched = await eventually('both settlements are published', async () => {
      const events = await eventsOf('document.enriched', job);
      return new Set(events.map(({ event }) => event['resultVersion'])).size === 2 ? events : undefined;
    });
    expect(enriched.every(({ key }) => key === job.documentId)).toBe(true);
  });

  it('is refused for an analysis that the job does not have, for a job of another tenant, and without the expected run', async () => {
    const tenant = await createTenant('runs-refused');
    const other = await createTenant('runs-other');
    const job = await tenant.submit({ documentId: unique('refused'), text, analyses: ['classification'] });
    await tenant.resultOf(job.id);
    const path = `/v1/jobs/${job.id}/analyses`;
    const absent = await tenant.ask('POST', `${path}/summary/runs`, { expectedRun: 1 });
    expect(absent).toMatchObject({ status: 404, body: { code: 'ANALYSIS_NOT_FOUND', analyses: ['classification'] } });
    expect(await runAgain(other, job, 1)).toMatchObject({ status: 404, body: { code: 'JOB_NOT_FOUND' } });
    const guess = await tenant.ask('POST', `${path}/classification/runs`, {});
    expect(guess).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  });
});

describe('cancelling', () => {
  it('is refused for a job that has settled, which stays as it is', async () => {
    const tenant = await createTenant('cancel');
    const job = await tenant.submit({ documentId: unique('settled'), text, analyses: ['compliance'] });
    await tenant.resultOf(job.id);
    const answer = await tenant.ask('POST', `/v1/jobs/${job.id}/cancel`);
    expect(answer).toMatchObject({ status: 409, body: { code: 'JOB_SETTLED', state: 'complete' } });
  });
});
