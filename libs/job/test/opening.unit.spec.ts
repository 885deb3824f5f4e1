import { describe, expect, test } from '@jest/globals';
import { openingOf, type DocumentBefore } from '../src/index.js';

const running = (...revisions: number[]) => revisions.map((revision) => ({ jobId: `job-${revision}`, revision }));
const before = (given: Partial<DocumentBefore>): DocumentBefore => ({
  latestRevision: 3,
  running: running(1, 2, 3),
  unpublishedForMs: 0,
  graceMs: 1_000,
  ...given,
});

describe('the opening of a revision', () => {
  test('takes the place of all older jobs while results are published within the grace time', () => {
    expect(openingOf(4, before({ unpublishedForMs: 1_000 }))).toEqual({
      own: [],
      overtaken: ['job-1', 'job-2', 'job-3'],
      kept: null,
    });
  });

  test('leaves the oldest job to run on when the document has had no result for longer', () => {
    const opening = openingOf(4, before({ unpublishedForMs: 1_001, running: running(3, 1, 2) }));
    expect(opening).toEqual({ own: [], overtaken: ['job-2', 'job-3'], kept: 'job-1' });
  });

  test('below the highest one is superseded itself, grace or not, and changes nothing else', () => {
    for (const unpublishedForMs of [0, 10_000]) {
      expect(openingOf(2, before({ unpublishedForMs }))).toEqual({
        own: [{ type: 'newerRevisionOpened', revision: 3 }],
        overtaken: [],
        kept: null,
      });
    }
  });

  test('of a new document has nobody to take the place of', () => {
    expect(openingOf(1, before({ latestRevision: null, running: [], unpublishedForMs: 9_999 }))).toEqual({
      own: [],
      overtaken: [],
      kept: null,
    });
  });
});
