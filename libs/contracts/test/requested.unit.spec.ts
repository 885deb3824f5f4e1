import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { completeRequested, type AnalysisRequested } from '../src/index.js';

const file = new URL('../../../schemas/analysis.summary.requested/v2.example.json', import.meta.url);
const example = JSON.parse(readFileSync(file, 'utf8')) as AnalysisRequested;
const record = { key: example.documentId, timestamp: 1_779_098_401_000 };
const complete = (given: Partial<AnalysisRequested>) => completeRequested({ ...example, ...given }, record);

describe('a command to run an analysis', () => {
  it('says for which document, and which run', () => {
    expect(complete({ run: 3, fresh: true })).toMatchObject({
      document: { documentId: example.documentId, jobId: example.jobId, requestedAnalyses: [], deadlineMs: 0 },
      run: 3,
      isFresh: true,
    });
  });

  it('was asked for when it says so, else when its record was written', () => {
    expect(complete({ askedAt: 5 }).askedAt).toBe(5);
    expect(complete({ askedAt: null }).askedAt).toBe(record.timestamp);
  });

  it.each([
    [{ run: 0 }, 'run must be at least 1'],
    [{ eventId: '' }, 'eventId must be given'],
    [{ askedAt: -1 }, 'askedAt must lie between 1970 and 9999'],
    [{ askedAt: 9e15 }, 'askedAt must lie between 1970 and 9999'],
  ])('is poison with %j', (given, message) => {
    expect(() => complete(given)).toThrow(message);
  });
});
