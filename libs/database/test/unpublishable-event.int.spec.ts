import { eventually } from '@anabranch/test-support';
import { PoisonMessage } from '@anabranch/failures';
import type { DocumentEnriched } from '@anabranch/contracts';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import type { Database } from '../src/index.js';
import { assemble, readEnrichedEvents, type RenderedEvent } from '../src/jobs/index.js';
import { createRelay, type Relay } from '../src/outbox/index.js';
import { allOutcomes, ingested, openedFact, openTestDatabase } from './fixtures.js';

const topic = 'document.enriched';

let db: Database;
let close: () => Promise<void>;
let relay: Relay | null;
let metrics: Registry;
let published: DocumentEnriched[];
let errors: object[];

beforeEach(async () => {
  ({ db, close } = await openTestDatabase());
  [relay, published, errors] = [null, [], []];
});
afterEach(async () => {
  await relay?.stop();
  await close();
});

/** A relay whose broker takes no revision 1. */
function startRelay(): Relay {
  metrics = new Registry();
  const publish = ({ event }: RenderedEvent<DocumentEnriched>): Promise<void> => {
    if (event.revision === 1) return Promise.reject(new PoisonMessage('RESULT_TOO_LARGE', 'too large'));
    published.push(event);
    return Promise.resolve();
  };
  const started = createRelay<RenderedEvent<DocumentEnriched>>(db, {
    topic,
    render: (rowIds) => readEnrichedEvents(db, rowIds),
    openProducer: () => ({ publish, stop: () => Promise.resolve() }),
    log: { info: () => undefined, warn: () => undefined, error: (fields: object) => void errors.push(fields) },
    metrics,
    sweepMs: 50,
  });
  started.start();
  relay = started;
  return started;
}

const complete = async (revision: number) => {
  const event = ingested({ documentId: 'one', revision, text: `Revision ${revision}.` });
  await assemble(db, [openedFact(event), ...allOutcomes(event)]);
  return event;
};

const metric = async (name: string) => (await metrics.getSingleMetric(name)?.get())?.values;

test('an event that can never be published is kept aside with its job, counted, and its document goes on', async () => {
  const { jobId } = await complete(1);
  await complete(2);
  const first = startRelay();
  await eventually(async () => (await db.query('SELECT 1 FROM outbox')).length === 0);
  expect(published.map(({ revision }) => revision)).toEqual([2]);
  expect(await db.query('SELECT topic, document_id, job_id, failure FROM outbox_failure')).toEqual([
    { topic, document_id: 'one', job_id: jobId, failure: 'too large' },
  ]);
  await eventually(() => first.health().reason !== undefined);
  expect(errors).toMatchObject([{ topic, jobId, err: { code: 'RESULT_TOO_LARGE' } }]);
  expect(await metric('anabranch_outbox_set_aside_total')).toMatchObject([{ value: 1, labels: { topic } }]);
  expect(await metric('anabranch_outbox_failed_rows')).toMatchObject([{ value: 1, labels: { topic } }]);
});

test('what is kept aside stays visible after a restart, leaves the service ready, and does not come again', async () => {
  await complete(1);
  await startRelay().stop();
  const first = startRelay();
  await eventually(() => first.health().reason?.includes('1 events are kept aside'));
  await first.stop();
  const second = startRelay();
  await eventually(() => second.health().ready && second.health().reason?.includes('1 events are kept aside'));
  await complete(2);
  await eventually(() => published.length === 1);
  expect(await metric('anabranch_outbox_failed_rows')).toMatchObject([{ value: 1, labels: { topic } }]);
  expect(errors).toHaveLength(1);
});

test('what is kept aside is published once its row is put back', async () => {
  await complete(2);
  startRelay();
  await eventually(() => published.length === 1);
  await db.query('INSERT INTO outbox_failure SELECT $1, 0, id, tenant_id, $2, job_id, $3 FROM settlement', [
    topic,
    'one',
    'was too large',
  ]);
  await db.query(
    `WITH back AS (DELETE FROM outbox_failure WHERE topic = $1 RETURNING *)
     INSERT INTO outbox (topic, row_id, tenant_id, document_id) SELECT topic, row_id, tenant_id, document_id FROM back`,
    [topic],
  );
  await eventually(() => published.length === 2);
  expect(published[1]).toEqual(published[0]);
});
