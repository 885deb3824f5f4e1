import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import { jobPageSchema, jobSchema, resultSchema } from '../src/jobs/job-schemas.js';
import { recordOutcomes } from './fixtures/record-outcomes.js';
import { clientOf, Installation, RunningIngestion } from './fixtures/running-ingestion.js';

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

const post = (documentId: string, seconds: number, text = 'One.') =>
  client.postJson({ documentId, text, analyses: ['summary'] }, { prefer: `wait=${seconds}` });

/** The job of a document whose post is not answered yet. */
const acceptedJob = (documentId: string) =>
  eventually(async () => {
    const page = jobPageSchema.parse(await (await client.get(`/v1/jobs?documentId=${documentId}`)).json());
    const [job] = page.jobs;
    if (job === undefined) throw new Error('not accepted yet');
    return job;
  });

describe('a post that prefers to wait', () => {
  it('is answered with the result of a job that settles in time, and says what it is', async () => {
    const posted = post('in-time', 60);
    const { id } = await acceptedJob('in-time');
    await recordOutcomes(installation, id, { summary: { status: 'DONE' } });
    const answer = await posted;
    expect(answer.status).toBe(200);
    expect(answer.headers.get('preference-applied')).toBe('wait=60');
    expect(answer.headers.get('location')).toBe(`/v1/jobs/${id}`);
    expect(answer.headers.get('content-location')).toBe(`/v1/jobs/${id}/result`);
    const body = await answer.text();
    expect(resultSchema.parse(JSON.parse(body))).toMatchObject({ jobId: id, state: 'complete' });
    expect(body).toBe(await (await client.get(`/v1/jobs/${id}/result`)).text());
  });

  it('is answered at once when the content is there, and settled', async () => {
    expect((await post('in-time', 60)).headers.get('preference-applied')).toBe('wait=60');
  });

  it('is answered with the job when its time is up, or its body is too long to be held', async () => {
    const late = await post('late', 1);
    const long = await post('long', 60, 'word '.repeat(20_000));
    for (const answer of [late, long]) {
      expect(answer.status).toBe(202);
      expect(answer.headers.get('preference-applied')).toBeNull();
      expect(jobSchema.parse(await answer.json()).state).toBe('accepted');
    }
  });
});
