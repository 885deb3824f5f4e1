import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@anabranch/test-support';
import { clientOf, Installation, RunningIngestion } from './fixtures/running-ingestion.js';

let installation: Installation;
let ingestion: RunningIngestion;
let client: ReturnType<typeof clientOf>;
let tenantId: string;

beforeAll(async () => {
  installation = await Installation.create();
  ingestion = await RunningIngestion.start(installation);
  const access = await installation.key();
  ({ tenantId } = access);
  client = clientOf(ingestion, access.key);
});

afterAll(async () => {
  await ingestion.stop();
  await installation.remove();
});

interface Answer {
  status: number;
  location: string | null;
  job: { id: string; documentId: string; revision: number; analyses: Record<string, string> };
}

async function post(body: object): Promise<Answer> {
  const response = await client.postJson(body);
  return {
    status: response.status,
    location: response.headers.get('location'),
    job: (await response.json()) as Answer['job'],
  };
}

describe('the same content under the same document id', () => {
  it('is answered with the job that exists', async () => {
    const first = await post({ text: 'One', documentId: 'same' });
    const second = await post({ text: 'One', documentId: 'same' });
    expect([first.status, second.status]).toEqual([202, 200]);
    expect(second.job.id).toBe(first.job.id);
    expect(second.location).toBe(`/v1/jobs/${first.job.id}`);
    expect(first.location).toBe(second.location);
  });

  it('is recognised whatever way it comes', async () => {
    const first = await post({ text: 'Zoë', documentId: 'ways' });
    const raw = await client.postRaw(Buffer.from('Zoë', 'latin1'), 'text/plain', '?documentId=ways');
    const dirty = await post({ text: 'Z\0oë', documentId: 'ways', priority: 'HIGH', metadata: { a: 'b' } });
    expect(raw.status).toBe(200);
    expect(dirty.status).toBe(200);
    expect(dirty.job.id).toBe(first.job.id);
  });

  it('is one job also when it is sent many times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post({ text: 'Race', documentId: 'race' })));
    expect(new Set(answers.map(({ job }) => job.id)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
  });

  it('is the same document when it is sent without an id', async () => {
    const first = await post({ text: 'Nameless' });
    const second = await post({ text: 'Nameless' });
    expect(second.status).toBe(200);
    expect(second.job).toEqual(first.job);
  });

  it('is a set of analyses, however the set is written', async () => {
    const first = await post({ text: 'Set', documentId: 'set', analyses: ['summary', 'sentiment'] });
    const second = await post({ text: 'Set', documentId: 'set', analyses: ['sentiment', 'summary', 'summary'] });
    expect(second.job.id).toBe(first.job.id);
    expect(first.job.analyses).toEqual({ sentiment: 'waiting', summary: 'waiting' });
  });

  it('leaves no second copy in the object store', async () => {
    const text = 'long '.repeat(10_000);
    const first = await post({ text, documentId: 'long' });
    const second = await post({ text, documentId: 'long' });
    expect([first.status, second.status]).toEqual([202, 200]);
    await eventually(async () => {
      const files = await readdir(join(installation.folder, 'objects', tenantId), { recursive: true });
      return files.filter((file) => file.endsWith('text')).length === 1;
    });
    expect(await (await client.get(`/v1/jobs/${first.job.id}/text`)).text()).toBe(text);
  });
});

describe('other content under the same document id', () => {
  it.each([
    ['another text', { text: 'Two' }],
    ['other analyses', { analyses: ['summary'] }],
    ['another sensitivity', { sensitivity: 'RESTRICTED' }],
    ['another media type', { mediaType: 'text/markdown' }],
  ])('is the next revision with %s', async (what, change) => {
    const first = await post({ text: 'One', documentId: what });
    const second = await post({ text: 'One', documentId: what, ...change });
    expect(second.status).toBe(202);
    expect([first.job.revision, second.job.revision]).toEqual([1, 2]);
    expect(second.job.id).not.toBe(first.job.id);
  });

  it('may be the content of an older revision: only the latest one is compared', async () => {
    await post({ text: 'A', documentId: 'back' });
    await post({ text: 'B', documentId: 'back' });
    expect((await post({ text: 'A', documentId: 'back' })).job.revision).toBe(3);
  });
});
