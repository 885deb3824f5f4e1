import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OutcomeStatus } from '@anabranch/contracts';
import { createObjectStore, objectKey } from '@anabranch/object-store';
import { join } from 'node:path';
import { historySchema, jobPageSchema, jobSchema, resultSchema } from '../src/jobs/job-schemas.js';
import { recordOutcomes } from './fixtures/record-outcomes.js';
import { analyses, clientOf, Installation, RunningIngestion } from './fixtures/running-ingestion.js';

let installation: Installation;
let ingestion: RunningIngestion;
let client: ReturnType<typeof clientOf>;

beforeAll(async () => {
  installation = await Installation.create();
  ingestion = await RunningIngestion.start(installation);
  client = clientOf(ingestion, (await installation.key()).key);
});

afterAll(async () => {
  await ingestion.stop();
  await installation.remove();
});

async function post(body: object, from = client) {
  return jobSchema.parse(await (await from.postJson(body)).json());
}

/** What the collector would record for the job. */
const record = (jobId: string, statuses: Record<string, OutcomeStatus>, change: object = {}) => {
  const outcomes = Object.entries(statuses).map(([analysis, status]) => [analysis, { status, change }] as const);
  return recordOutcomes(installation, jobId, Object.fromEntries(outcomes));
};

const getJson = async (path: string): Promise<unknown> => (await client.get(path)).json();
const allDone = Object.fromEntries(analyses.map((name) => [name, 'DONE' as const]));

describe('a job', () => {
  it('shows each requested analysis, and leads to all that belongs to it', async () => {
    const posted = await post({ text: 'One', documentId: 'one' });
    const job = jobSchema.parse(await getJson(posted.links.self));
    expect(job).toEqual(posted);
    expect(job).toMatchObject({ documentId: 'one', revision: 1, state: 'accepted', sequence: 1, resultVersion: 0 });
    expect(job.analyses).toEqual(Object.fromEntries(analyses.map((name) => [name, 'waiting'])));
    expect(Date.parse(job.deadlineAt) - Date.parse(job.createdAt)).toBe(600_000);
    for (const path of [job.links.text, job.links.events]) expect((await client.get(path)).status).toBe(200);
  });

  it('is complete when all outcomes are done, and its result has all of them', async () => {
    const { id, links } = await post({ text: 'Two', documentId: 'two' });
    await record(id, allDone);
    const result = resultSchema.parse(await getJson(links.result));
    expect(result).toMatchObject({ jobId: id, documentId: 'two', state: 'complete', resultVersion: 1, final: true });
    expect(result.receipt.complete).toBe(true);
    expect(Object.keys(result.results).sort()).toEqual(analyses);
    expect(result.resultDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(result).not.toHaveProperty('resultRefs');
  });

  it('is partial when some are refused or failed, and the receipt says why', async () => {
    const { id, links } = await post({ text: 'Three', documentId: 'three' });
    await record(id, { ...allDone, summary: 'REFUSED', sentiment: 'FAILED' });
    const result = resultSchema.parse(await getJson(links.result));
    expect(result.state).toBe('partial');
    expect(result.receipt.complete).toBe(false);
    expect(result.receipt.analyses.summary).toMatchObject({ outcome: 'refused', run: 1, code: 'NO_CONTENT' });
    expect(result.receipt.analyses.sentiment).toMatchObject({ outcome: 'failed', code: 'HANDLER_FAILED' });
    expect(Object.keys(result.results).sort()).toEqual(['classification', 'compliance', 'entity-extraction']);
  });

  it('shows a result that lies in the object store as if it had come along', async () => {
    const { tenantId, key } = await installation.key();
    const own = clientOf(ingestion, key);
    const { id, links } = await post({ text: 'Four', documentId: 'four', analyses: ['summary'] }, own);
    const store = createObjectStore({ objectStoreDir: join(installation.folder, 'objects') });
    const name = objectKey({ tenantId, documentId: 'four', revision: 1, name: 'summary.json' });
    const resultRef = await store.put(name, Buffer.from(JSON.stringify({ summary: 'long' })));
    const outcome = { status: 'DONE', result: null, refusal: null, failure: null };
    await record(id, { summary: 'DONE' }, { resultRef, outcome });
    const result = resultSchema.parse(await (await own.get(links.result)).json());
    expect(result.results).toEqual({ summary: { summary: 'long' } });
  });

  it('has a history in numbered steps, and gives the steps after a number', async () => {
    const { id, links } = await post({ text: 'Five', documentId: 'five' });
    await record(id, allDone);
    const { events } = historySchema.parse(await getJson(links.events));
    expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index + 1));
    expect(events.length).toBeGreaterThan(1);
    const later = historySchema.parse(await getJson(`${links.events}?after=1&limit=1`));
    expect(later).toEqual({ jobId: id, events: events.slice(1, 2) });
    const none = historySchema.parse(await getJson(`${links.events}?after=${events.length}`));
    expect(none.events).toEqual([]);
  });
});

describe('the list of jobs', () => {
  async function tenantWithJobs(count: number) {
    const own = clientOf(ingestion, (await installation.key()).key);
    const ids: string[] = [];
    for (let index = 0; index < count; index++)
      ids.push((await post({ text: `Text ${index}`, documentId: `d${index}` }, own)).id);
    const list = async (query: string) => jobPageSchema.parse(await (await own.get(`/v1/jobs${query}`)).json());
    return { ids, list };
  }

  it('is walked page by page, newest first, each job once', async () => {
    const { ids, list } = await tenantWithJobs(7);
    const seen: string[] = [];
    for (let query = '?limit=3'; query !== '';) {
      const page = await list(query);
      seen.push(...page.jobs.map(({ id }) => id));
      query = page.nextCursor === null ? '' : `?limit=3&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
    expect(seen).toEqual(ids.toReversed());
  });

  it('is narrowed by state, document and time', async () => {
    const { ids, list } = await tenantWithJobs(3);
    await record(ids[1] ?? '', allDone);
    const idsOf = async (query: string) => (await list(query)).jobs.map(({ id }) => id);
    expect(await idsOf('?state=complete')).toEqual([ids[1]]);
    expect(await idsOf('?state=rejected')).toEqual([]);
    expect(await idsOf('?documentId=d2')).toEqual([ids[2]]);
    const [, middle] = (await list('')).jobs;
    const moment = encodeURIComponent(middle?.createdAt ?? '');
    expect(await idsOf(`?createdAfter=${moment}`)).toEqual([ids[2], ids[1]]);
    expect(await idsOf(`?createdBefore=${moment}`)).toEqual([ids[0]]);
    expect(await idsOf('?createdAfter=2000-01-01T00:00:00%2B02:00&createdBefore=2001-01-01T00:00:00Z')).toEqual([]);
  });
});
