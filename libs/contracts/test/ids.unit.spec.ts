import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ingestedEventIdOf, jobIdOf, outcomeIdOf, settlementIdOf, uuidV5 } from '../src/index.js';

// Computed with Python's uuid and hashlib; they stand in the README, for those who derive ids elsewhere.
const jobs = [
  { tenantId: 'acme', documentId: 'letter-1', revision: 1, id: '40021932-c9bd-5a8d-9241-6bce14473f4c' },
  { tenantId: 'acme', documentId: 'letter-1', revision: 2, id: 'f6a97aa4-2196-570f-89c5-e4cc8b39871c' },
  {
    tenantId: 'møller & søn',
    documentId: '文書-7',
    revision: 1779012000000,
    id: 'fe2bead2-2d6f-593e-a2f9-1578da6aa2ce',
  },
  { tenantId: 'a', documentId: 'bc', revision: 1, id: '12035d20-8ce8-5f04-af95-4962ad53994e' },
  { tenantId: 'ab', documentId: 'c', revision: 1, id: '67f4deb6-98a7-5cd4-b1bb-fa9cd48d30dd' },
];

describe('ids are derived, so that a repeat is a duplicate and not a second fact', () => {
  it.each(jobs)('the job of $tenantId, $documentId, $revision is $id', ({ id, ...key }) => {
    expect(jobIdOf(key)).toBe(id);
  });

  it('events of a job have the published ids', () => {
    const jobId = '40021932-c9bd-5a8d-9241-6bce14473f4c';
    expect(ingestedEventIdOf(jobId)).toBe('a25f5d0a-47e8-5c81-8f57-a15bf75b8a39');
    expect(outcomeIdOf({ jobId, analysis: 'summary', run: 1, status: 'DONE' })).toBe(
      '0c53181d-d402-520b-8240-f8114987a9a1',
    );
    expect(settlementIdOf(jobId, 1)).toBe('8f096b21-2a7c-53ab-85b5-db953cee8b8f');
  });

  it('an id is a UUID of version 5', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (parts) => {
        expect(uuidV5(parts)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }),
    );
  });

  it('parts that read the same when joined give different ids', () => {
    const cuts = fc.record({ text: fc.string({ minLength: 2 }), one: fc.nat(), other: fc.nat() });
    const cut = (text: string, at: number): string[] => [text.slice(0, at % text.length), text.slice(at % text.length)];
    fc.assert(
      fc.property(cuts, ({ text, one, other }) => {
        fc.pre(one % text.length !== other % text.length);
        expect(uuidV5(cut(text, one))).not.toBe(uuidV5(cut(text, other)));
      }),
    );
  });
});
