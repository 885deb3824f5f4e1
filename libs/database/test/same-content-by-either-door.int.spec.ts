import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { acceptDocument, assemble, contentSha256Of, type NewDocument } from '../src/jobs/index.js';
import { ingested, newDocument, openedFact, openTestDatabase, sha256 } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

const text = 'The meter reads 4711.';
const content = { textSha256: sha256(text), mediaType: 'text/plain', sensitivity: 'INTERNAL', metadata: {} } as const;

const posted = (documentId: string, given: Partial<NewDocument> = {}): NewDocument =>
  newDocument({ documentId, text, metadata: {}, contentSha256: contentSha256Of(content), ...given });

test('what came by Kafka and is sent over HTTP once more has its job already', async () => {
  const event = ingested({ documentId: 'meter-1', revision: 1_700_000_000_000, text });
  await assemble(db, [openedFact(event)]);
  const { job, created } = await acceptDocument(db, posted('meter-1'));
  expect({ created, id: job.id, revision: job.revision }).toEqual({
    created: false,
    id: event.jobId,
    revision: event.revision,
  });
});

test.each([
  ['another text', { text: 'The meter reads 4712.', ...other({ textSha256: sha256('The meter reads 4712.') }) }],
  ['another sensitivity', other({ sensitivity: 'RESTRICTED' })],
  ['rules of another name', other({ metadata: { 'anabranch.taxonomy': 'mine' } })],
  ['fewer analyses', { requestedAnalyses: ['summary'] }],
] satisfies [string, Partial<NewDocument>][])('%s is the next revision', async (what, given) => {
  const event = ingested({ documentId: what, revision: 7, text });
  await assemble(db, [openedFact(event)]);
  const { job, created } = await acceptDocument(db, posted(what, given));
  expect({ created, revision: job.revision }).toEqual({ created: true, revision: 8 });
});

function other(given: Partial<Parameters<typeof contentSha256Of>[0]>): Partial<NewDocument> {
  return { ...given, contentSha256: contentSha256Of({ ...content, ...given }) } as Partial<NewDocument>;
}
