import { PoisonMessage } from '@anabranch/failures';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '../src/index.js';
import { acceptDocument, assemble, getText } from '../src/jobs/index.js';
import { allOutcomes, ingested, newDocument, openedFact, openTestDatabase, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

test('a second text under the same revision is poison; the first text, and the rest of the batch, stay', async () => {
  const first = ingested({ documentId: 'twice', text: 'First.' });
  const second = ingested({ documentId: 'twice', text: 'Second.' });
  const other = ingested();
  const { results } = await assemble(db, [openedFact(first), openedFact(second), openedFact(other)]);
  expect(results).toEqual(['recorded', expect.any(PoisonMessage), 'recorded']);
  expect(results[1]).toMatchObject({ code: 'REVISION_CONFLICT' });
  expect((await assemble(db, [openedFact(second)])).results).toMatchObject([{ code: 'REVISION_CONFLICT' }]);
  expect(await getText(db, tenantId, first.jobId)).toMatchObject({ text: 'First.' });

  const { results: ofOutcomes, settled } = await assemble(db, [...allOutcomes(second), ...allOutcomes(first)]);
  expect(ofOutcomes.filter((result) => result === 'ignored')).toHaveLength(5);
  expect(settled).toMatchObject([{ state: 'complete' }]);
});

test('a producer’s text under a revision that HTTP has minted is poison', async () => {
  const { job } = await acceptDocument(db, newDocument({ documentId: 'minted' }));
  const event = ingested({ documentId: 'minted', revision: job.revision, text: 'Something else.' });
  expect((await assemble(db, [openedFact(event)])).results).toMatchObject([{ code: 'REVISION_CONFLICT' }]);
});

test('an event of an unknown tenant is poison, and the rest of the batch is recorded', async () => {
  const stranger = ingested({ tenantId: 'stranger' });
  const event = ingested();
  const { results } = await assemble(db, [openedFact(stranger), ...allOutcomes(stranger), openedFact(event)]);
  expect(results.at(-1)).toBe('recorded');
  expect(results.slice(0, -1)).toHaveLength(6);
  for (const result of results.slice(0, -1)) expect(result).toMatchObject({ code: 'UNKNOWN_TENANT' });
});
