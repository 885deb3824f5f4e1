import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deferRun } from '@anabranch/database/jobs';
import { jobSchema } from '../src/jobs/job-schemas.js';
import { whySchema } from '../src/why/why-schema.js';
import { recordOutcomes } from './fixtures/record-outcomes.js';
import { clientOf, Installation, RunningIngestion } from './fixtures/running-ingestion.js';

let installation: Installation;
let ingestion: RunningIngestion;
let owner: Awaited<ReturnType<Installation['db']['connectDirectly']>>;
let tenantId: string;
let client: ReturnType<typeof clientOf>;

beforeAll(async () => {
  installation = await Installation.create();
  // Somebody else owns the topic and publishes nothing: what waits can be looked at for as long as it takes.
  owner = await installation.db.connectDirectly('owner of the topic');
  await owner.query("SELECT pg_advisory_lock(7262419, hashtext('document.ingested'))");
  ingestion = await RunningIngestion.start(installation);
  const made = await installation.key();
  tenantId = made.tenantId;
  client = clientOf(ingestion, made.key);
});

afterAll(async () => {
  await ingestion.stop();
  await owner.end();
  await installation.remove();
});

const post = async (documentId: string) =>
  jobSchema.parse(
    await (await client.postJson({ documentId, text: 'One.', analyses: ['summary', 'sentiment'] })).json(),
  );
const why = async (id: string) => whySchema.parse(await (await client.get(`/v1/jobs/${id}/why`)).json());
const publish = (id: string) => installation.db.query('DELETE FROM outbox WHERE row_id = $1', [id]);

describe('GET /v1/jobs/{id}/why', () => {
  it('counts what goes before a document that is not published, and then says what it has of each analysis', async () => {
    const [first, second] = [await post('first'), await post('second')];
    expect((await why(second.id)).because).toMatchObject({ code: 'EVENT_WAITS', ahead: 1 });
    expect((await why(second.id)).analyses['summary']).toMatchObject({
      outcome: 'waiting',
      because: { code: 'NOT_PUBLISHED' },
    });
    await publish(first.id);
    await recordOutcomes(installation, first.id, { summary: { status: 'REFUSED' } });
    const { because, analyses } = await why(first.id);
    expect(because).toMatchObject({ code: 'ANALYSES_OUTSTANDING', analyses: ['sentiment'] });
    expect(analyses['summary']).toMatchObject({ outcome: 'refused', run: 1, code: expect.any(String) });
    expect(analyses['summary']?.because).toBeUndefined();
  });

  it('says until when a run is put off, and because of what', async () => {
    const { id, documentId } = await post('deferred');
    await publish(id);
    const wait = { reason: 'QUOTA', dependency: 'provider m', askedAt: Date.now(), waitMs: 60_000 };
    await deferRun(installation.db, { jobId: id, analysis: 'summary', run: 1, tenantId, documentId, ...wait });
    const { analyses, asOf } = await why(id);
    expect(analyses['summary']?.because).toMatchObject({ code: 'DEFERRED', reason: 'QUOTA', dependency: 'provider m' });
    expect(Date.parse(String(analyses['summary']?.because?.['until']))).toBeGreaterThan(Date.parse(asOf));
  });

  it('names the job that took the place of a superseded one, and what came of a settled one', async () => {
    const { id: older } = await post('revised');
    const newer = jobSchema.parse(
      await (await client.postJson({ documentId: 'revised', text: 'Two.', analyses: ['summary'] })).json(),
    );
    const told = await why(older);
    expect(told.because).toMatchObject({ code: 'SUPERSEDED', supersededBy: 2 });
    expect(told.links.supersededBy).toBe(`/v1/jobs/${newer.id}`);
    expect(told.analyses['summary']?.because?.code).toBe('NOT_WANTED');
    await recordOutcomes(installation, older, { summary: { status: 'DONE' } });
    expect((await why(older)).analyses['summary']).toMatchObject({
      outcome: 'waiting',
      because: { code: 'NOT_WANTED' },
    });
    await publish(newer.id);
    await recordOutcomes(installation, newer.id, { summary: { status: 'DONE' } });
    expect(await why(newer.id)).toMatchObject({
      state: 'complete',
      because: { code: 'COMPLETE', final: true, isPublished: false, resultVersion: 1 },
      analyses: { summary: { outcome: 'done', run: 1 } },
    });
  });
});
