import { revisionMax } from '@anabranch/contracts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { acceptDocument, assemble, getJob } from '../src/jobs/index.js';
import { ingested, newDocument, openedFact, openTestDatabase, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

const open = async (documentId: string, revision: number) => {
  const event = ingested({ documentId, revision, text: 'From Kafka.' });
  await assemble(db, [openedFact(event)]);
  return event;
};
const accept = (documentId: string, text: string) => acceptDocument(db, newDocument({ documentId, text }));

test('a document below the highest revision gets the highest one, and its predecessor is superseded by it', async () => {
  const event = await open('last but one', revisionMax - 1);
  const { job, created } = await accept('last but one', 'The last revision.');
  expect({ created, revision: job.revision }).toEqual({ created: true, revision: revisionMax });
  expect(await getJob(db, tenantId, event.jobId)).toMatchObject({ state: 'superseded', supersededBy: revisionMax });
});

test('a document at the highest revision is refused before anything is written, as often as it is sent', async () => {
  await open('exhausted', revisionMax);
  const others = accept('another', 'Not its fault.');
  for (const text of ['Once.', 'Twice.']) {
    await expect(accept('exhausted', text)).rejects.toMatchObject({
      code: 'REVISION_CONFLICT',
      message: expect.stringContaining(String(revisionMax)),
    });
  }
  expect((await others).created).toBe(true);
  const jobs = await db.query("SELECT revision FROM job WHERE document_id = 'exhausted'");
  expect(jobs).toEqual([{ revision: String(revisionMax) }]);
  expect(await db.query("SELECT 1 FROM outbox WHERE document_id = 'exhausted'")).toEqual([]);
});

test('of two contents sent at once for the last revision, one is accepted and the other refused', async () => {
  await open('contended', revisionMax - 1);
  const answers = await Promise.allSettled([accept('contended', 'One.'), accept('contended', 'Other.')]);
  expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const rejected = answers.find(({ status }) => status === 'rejected');
  expect(rejected).toMatchObject({ reason: { code: 'REVISION_CONFLICT' } });
});

test('the content that a document at the highest revision has already is still recognised', async () => {
  await open('same', revisionMax - 1);
  const first = await accept('same', 'Kept.');
  expect(await accept('same', 'Kept.')).toMatchObject({ created: false, job: { id: first.job.id } });
  expect(first.job.revision).toBe(revisionMax);
});
