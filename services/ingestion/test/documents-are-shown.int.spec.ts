import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { textSha256 } from '@anabranch/text';
import { documentSchema, revisionPageSchema } from '../src/documents/document-json.js';
import { jobSchema } from '../src/jobs/job-schemas.js';
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

const post = async (documentId: string, text: string) =>
  jobSchema.parse(await (await client.postJson({ text, documentId })).json());

const getJson = async (path: string): Promise<unknown> => (await client.get(path)).json();

describe('a document', () => {
  it('is shown by its latest revision, with that one’s job and where its revisions are', async () => {
    await post('d', 'One');
    const latest = await post('d', 'Two');
    const document = documentSchema.parse(await getJson(latest.links.document));
    expect(document).toMatchObject({ id: 'd', revision: 2, job: latest, links: { job: latest.links.self } });
    expect((await client.get(document.links.revisions)).status).toBe(200);
    expect(await getJson(document.links.self)).toEqual(document);
  });

  it.each(['a/b', '../up', 'with space', 'Zoë', '100%', 'a?b#c', 'ü'.repeat(256), 'revisions'])(
    'is found under the link of its job, whatever its id: %s',
    async (documentId) => {
      const job = await post(documentId, 'Text');
      expect(documentSchema.parse(await getJson(job.links.document)).id).toBe(documentId);
      const { revisions } = revisionPageSchema.parse(await getJson(`${job.links.document}/revisions`));
      expect(revisions.map(({ jobId }) => jobId)).toEqual([job.id]);
    },
  );

  it('has its revisions in pages, newest first, each once', async () => {
    const jobs = [];
    for (let revision = 1; revision <= 7; revision++) jobs.push(await post('many', `Text ${revision}`));
    const seen = [];
    for (let query = '?limit=3'; query !== '';) {
      const page = revisionPageSchema.parse(await getJson(`/v1/documents/many/revisions${query}`));
      seen.push(...page.revisions);
      query = page.nextCursor === null ? '' : `?limit=3&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
    expect(seen.map(({ revision }) => revision)).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(seen[0]).toEqual({
      revision: 7,
      jobId: jobs[6]?.id,
      state: 'accepted',
      createdAt: jobs[6]?.createdAt,
      textSha256: textSha256('Text 7'),
      links: { job: jobs[6]?.links.self },
    });
    expect(seen[6]).toMatchObject({ revision: 1, state: 'superseded' });
  });

  it.each(['?cursor=x', '?limit=0', '?limit=201', '?before=1'])(
    'is 400 for a page that there is not: %s',
    async (query) => {
      await post('paged', 'Text');
      const response = await client.get(`/v1/documents/paged/revisions${query}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: 'INVALID_REQUEST' });
    },
  );

  it.each(['', '/revisions'])('of another tenant does not exist, as one that never was: %s', async (suffix) => {
    const other = clientOf(ingestion, (await installation.key()).key);
    const { links } = await post('mine', 'Text');
    const [foreign, none, strange] = await Promise.all([
      other.get(`${links.document}${suffix}`),
      client.get(`/v1/documents/nothing${suffix}`),
      client.get(`/v1/documents/a%00b${suffix}`),
    ]);
    expect([foreign.status, none.status, strange.status]).toEqual([404, 404, 404]);
    const [foreignBody, noneBody] = [(await foreign.json()) as object, (await none.json()) as object];
    expect({ ...foreignBody, instance: '' }).toEqual({ ...noneBody, instance: '' });
    expect(noneBody).toMatchObject({ code: 'DOCUMENT_NOT_FOUND' });
  });

  it('is not shown to a key that may only write', async () => {
    const { key } = await installation.key(undefined, ['documents:write']);
    const responses = [
      await clientOf(ingestion, key).get('/v1/documents/d'),
      await clientOf(ingestion, key).get('/v1/documents/d/revisions'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([403, 403]);
  });
});
