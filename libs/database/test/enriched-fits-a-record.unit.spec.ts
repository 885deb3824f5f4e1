import { encodeValue, eventMaxBytes, type AnalysisOutcome, type DocumentEnriched } from '@anabranch/contracts';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fitEnriched, leftOut } from '../src/jobs/fit-enriched.js';

const outcome = (given: Partial<AnalysisOutcome>): AnalysisOutcome => ({
  analysis: 'summary',
  run: 1,
  status: 'DONE',
  finishedAt: 1_779_012_000_000,
  engine: { kind: 'EMBEDDED', name: 'lead', version: '1', model: null, promptVersion: null },
  coverage: null,
  usage: null,
  language: 'en',
  warnings: [],
  refusal: null,
  failure: null,
  resultSchema: 'anabranch.analysis.summary.SummaryResult/v1',
  resultJson: '{}',
  resultRef: null,
  ...given,
});

const enriched = (outcomes: AnalysisOutcome[]): DocumentEnriched => ({
  eventId: 'e',
  tenantId: 'acme',
  documentId: 'd',
  revision: 1,
  jobId: 'j',
  correlationId: 'c',
  causationId: '',
  occurredAt: 1_779_012_000_000,
  state: 'COMPLETE',
  reason: null,
  resultVersion: 1,
  resultDigest: '',
  textSha256: '',
  supersededBy: null,
  final: true,
  outcomes,
  metadata: {},
});

const encodedBytes = (event: DocumentEnriched): number => encodeValue('document.enriched', event, 1).length;

describe('a settlement is published whatever its outcomes hold', () => {
  test('an event that fits is left as it is', () => {
    const event = enriched([outcome({ warnings: ['odd'], resultJson: 'x'.repeat(65_536) })]);
    expect(fitEnriched(event)).toBe(event);
  });

  test('warnings go first, and a warning says so', () => {
    const results = { a: 'x'.repeat(65_000), b: 'y'.repeat(65_000) };
    const event = enriched([
      outcome({ analysis: 'a', resultJson: results.a, warnings: Array.from({ length: 2_000 }, () => 'w'.repeat(500)) }),
      outcome({ analysis: 'b', resultJson: results.b }),
    ]);
    const fitted = fitEnriched(event);
    expect(fitted.outcomes.map(({ resultJson }) => resultJson)).toEqual([results.a, results.b]);
    expect(fitted.outcomes.map(({ warnings }) => warnings)).toEqual([[leftOut.warnings], []]);
  });

  test('the longest results go next, only as many as needed, and a warning says so', () => {
    const event = enriched([
      outcome({ analysis: 'a', resultJson: 'ü'.repeat(100_000) }),
      outcome({ analysis: 'b', resultJson: 'ü'.repeat(300_000) }),
      outcome({ analysis: 'c', resultJson: 'ü'.repeat(250_000) }),
    ]);
    const fitted = fitEnriched(event);
    expect(fitted.outcomes.map(({ resultJson }) => resultJson?.length ?? null)).toEqual([100_000, null, 250_000]);
    expect(fitted.outcomes.map(({ warnings }) => warnings)).toEqual([[], [leftOut.result], []]);
    expect(encodedBytes(fitted)).toBeLessThanOrEqual(eventMaxBytes);
  });

  test('any results and warnings fit in the end; the same event is always made the same', () => {
    const text = fc.tuple(fc.constantFrom('x', 'ü', '文', '😀', '\n'), fc.integer({ min: 0, max: 200_000 }));
    const repeated = text.map(([character, length]) => character.repeat(length));
    const some = fc.record({ resultJson: repeated, warnings: fc.array(repeated, { maxLength: 2 }) });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 6 }), (parts) => {
        const event = enriched(parts.map((part, at) => outcome({ ...part, analysis: `a${at}` })));
        const fitted = fitEnriched(event);
        expect(encodedBytes(fitted)).toBeLessThanOrEqual(eventMaxBytes);
        expect(fitEnriched(structuredClone(event))).toEqual(fitted);
        expect(fitted.outcomes.map(({ analysis }) => analysis)).toEqual(event.outcomes.map(({ analysis }) => analysis));
      }),
      { numRuns: 40 },
    );
  });
});
