import { describe, expect, it, jest } from '@jest/globals';
import { command, eventually, unique } from '../src/platform.js';
import { createTenant, type Tenant } from '../src/tenant.js';

jest.setTimeout(120_000);

const text = 'The quarterly invoice is attached, and everybody is happy with it.';

interface Because {
  code: string;
  [detail: string]: unknown;
}
interface Why {
  state: string;
  because: Because;
  analyses: Record<string, { outcome: string; run: number; because?: Because }>;
  links: Record<string, string>;
}

const whyOf = async (tenant: Tenant, id: string): Promise<Why> => {
  const { status, body } = await tenant.ask<Why>('GET', `/v1/jobs/${id}/why`);
  if (status !== 200) throw new Error(`GET why: ${status} ${JSON.stringify(body)}`);
  return body;
};

describe('why a job is as it is', () => {
  it('names what an analysis that does not run leaves undone, and that it does not run', async () => {
    const tenant = await createTenant('why');
    await command('stop', 'sentiment');
    try {
      const job = await tenant.submit({ documentId: unique('why'), text, analyses: ['sentiment', 'summary'] });
      const told = await eventually('the summary is done, and nobody is left who could judge', async () => {
        const why = await whyOf(tenant, job.id);
        const isGone = why.analyses['sentiment']?.because?.code === 'NO_CONSUMER';
        return why.analyses['summary']?.outcome === 'done' && isGone ? why : undefined;
      });
      expect(told).toMatchObject({
        state: 'analysing',
        because: { code: 'ANALYSES_OUTSTANDING', analyses: ['sentiment'] },
        analyses: { sentiment: { outcome: 'waiting', because: { topic: 'document.ingested' } } },
      });
      await command('start', '--only', 'sentiment');
      await tenant.resultOf(job.id);
      const { state, because, analyses } = await whyOf(tenant, job.id);
      expect({ state, because }).toMatchObject({ state: 'complete', because: { code: 'COMPLETE', final: true } });
      expect(Object.values(analyses).flatMap(({ because: open }) => open ?? [])).toEqual([]);
    } finally {
      await command('start', '--only', 'sentiment').catch(() => undefined);
    }
  });

  it('says that Kafka does not answer, and what waits for it', async () => {
    const tenant = await createTenant('why-kafka');
    await command('stop', 'kafka');
    try {
      const job = await tenant.submit({ documentId: unique('why-down'), text, analyses: ['summary'] });
      const waiting = await whyOf(tenant, job.id);
      expect(waiting).toMatchObject({ state: 'accepted', because: { code: 'EVENT_WAITS', ahead: 0 } });
      expect(waiting.analyses['summary']?.because?.code).toBe('NOT_PUBLISHED');
      await command('start', '--only', 'kafka');
      expect((await tenant.resultOf(job.id)).state).toBe('complete');
    } finally {
      await command('start', '--only', 'kafka').catch(() => undefined);
    }
  });

  it('names the job that took its place, to its own tenant only', async () => {
    const tenant = await createTenant('why-newer');
    const documentId = unique('revised');
    await command('stop', 'summary');
    try {
      const older = await tenant.submit({ documentId, text, analyses: ['summary'] });
      const newer = await tenant.submit({ documentId, text: `${text} Really.`, analyses: ['summary'] });
      const { because, links } = await whyOf(tenant, older.id);
      expect(because).toMatchObject({ code: 'SUPERSEDED', supersededBy: newer.revision });
      expect(links['supersededBy']).toBe(newer.links['self']);
      const stranger = await createTenant('why-stranger');
      expect(await stranger.ask('GET', `/v1/jobs/${older.id}/why`)).toMatchObject({ status: 404 });
    } finally {
      await command('start', '--only', 'summary').catch(() => undefined);
    }
  });
});
