import { readEnrichedEvents, rebuildJobs } from '@anabranch/database/jobs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { jobSchema } from '../src/jobs/job-schemas.js';
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

const show = async (id: string) => jobSchema.parse(await (await client.get(`/v1/jobs/${id}`)).json());
const cancel = (id: string) =>
  client.call(`/v1/jobs/${id}/cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"reason":"No longer wanted."}',
  });

/** A job whose history says that a person is asked; its rows follow by the rebuild. */
async function jobUnderReview(): Promise<string> {
  const { id } = jobSchema.parse(await (await client.postJson({ text: 'To be looked at.' })).json());
  await recordOutcomes(installation, id, { summary: { status: 'DONE' } });
  await installation.db.query(
    `INSERT INTO job_event (job_id, number, tenant_id, type, data)
     SELECT id, sequence + 1, tenant_id, 'review-requested', '{"reason":"A rule asks for it."}' FROM job WHERE id = $1`,
    [id],
  );
  expect((await rebuildJobs(installation.db, { isDryRun: false })).differing).toEqual([id]);
  return id;
}

/** The events of the settlements that wait to be published. */
async function settlementsOf(jobId: string) {
  const rows = await installation.db.query<{ id: string }>(
    `SELECT s.id FROM settlement s JOIN outbox o ON o.topic = 'document.enriched' AND o.row_id = s.id
     WHERE s.job_id = $1`,
    [jobId],
  );
  const events = await readEnrichedEvents(
    installation.db,
    rows.map(({ id }) => id),
  );
  return [...events.values()].map(({ event }) => event);
}

it('a job that waits for a review is cancelled on request: a numbered settlement, and one event without results', async () => {
  const id = await jobUnderReview();
  const waiting = await show(id);
  expect(waiting).toMatchObject({ state: 'awaiting_review', reason: 'A rule asks for it.', resultVersion: 0 });
  expect(await settlementsOf(id)).toEqual([]);

  const cancelled = await cancel(id);
  expect(cancelled.status).toBe(200);
  expect(await cancelled.json()).toMatchObject({ id, state: 'cancelled', resultVersion: 1 });
  expect(await show(id)).toMatchObject({
    state: 'cancelled',
    reason: 'No longer wanted.',
    resultVersion: 1,
    sequence: waiting.sequence + 1,
  });
  const [event, ...others] = await settlementsOf(id);
  expect(others).toEqual([]);
  expect(event).toMatchObject({ jobId: id, state: 'CANCELLED', reason: 'No longer wanted.', resultVersion: 1 });
  expect(event?.outcomes).toMatchObject([{ analysis: 'summary', status: 'DONE', resultJson: null, resultRef: null }]);

  expect((await cancel(id)).status).toBe(200);
  await recordOutcomes(installation, id, Object.fromEntries(analyses.map((name) => [name, { status: 'DONE' }])));
  expect(await show(id)).toMatchObject({ state: 'cancelled', resultVersion: 1 });
  expect(await settlementsOf(id)).toHaveLength(1);
  expect((await rebuildJobs(installation.db, { isDryRun: true })).differing).toEqual([]);
});
