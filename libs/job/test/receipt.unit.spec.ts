import { describe, expect, test } from '@jest/globals';
import { receiptOf, type OutcomeDetails } from '../src/index.js';

const engine = { kind: 'EMBEDDED', name: 'textrank', version: '1', model: null, promptVersion: null } as const;
const coverage = { charactersRead: 12, charactersTotal: 12, pagesRead: null, pagesTotal: null, truncated: false };

const details = (outcome: Partial<OutcomeDetails>): OutcomeDetails => ({
  run: 1,
  status: 'done',
  engine,
  coverage,
  usage: null,
  language: 'en',
  warnings: [],
  refusal: null,
  failure: null,
  finishedAt: Date.UTC(2026, 0, 2),
  ...outcome,
});

describe('a receipt', () => {
  test('names every requested analysis with its outcome, sorted by name', () => {
    const receipt = receiptOf({
      summary: { wantedRun: 1, outcome: details({}) },
      classification: { wantedRun: 2, outcome: null },
    });
    expect(receipt).toEqual({
      complete: false,
      analyses: {
        classification: { outcome: 'waiting', run: 2 },
        summary: {
          outcome: 'done',
          run: 1,
          engine: { kind: 'EMBEDDED', name: 'textrank', version: '1' },
          coverage: { charactersRead: 12, charactersTotal: 12, truncated: false },
          usage: null,
          language: 'en',
          warnings: [],
          finishedAt: '2026-01-02T00:00:00.000Z',
        },
      },
    });
    expect(Object.keys(receipt.analyses)).toEqual(['classification', 'summary']);
  });

  test('is read in one order, without what nobody knows; a price that nobody knows is said', () => {
    const usage = {
      inputTokens: 900,
      outputTokens: 80,
      cachedInputTokens: 0,
      costMicros: null,
      currency: 'USD',
      latencyMs: 700,
      attempts: 1,
      boughtOrReused: 'BOUGHT',
    } as const;
    // As Postgres gives it back: in an order of its own.
    const stored = Object.fromEntries(Object.entries(usage).reverse()) as unknown as typeof usage;
    const { analyses } = receiptOf({ a: { wantedRun: 1, outcome: details({ usage: stored, language: null }) } });
    expect(JSON.stringify(analyses.a)).toBe(
      '{"outcome":"done","run":1,"engine":{"kind":"EMBEDDED","name":"textrank","version":"1"},' +
        '"coverage":{"charactersRead":12,"charactersTotal":12,"truncated":false},' +
        `"usage":${JSON.stringify(usage)},"warnings":[],"finishedAt":"2026-01-02T00:00:00.000Z"}`,
    );
    const late = details({ status: 'late', finishedAt: null, engine: null, coverage: null, language: null });
    expect(receiptOf({ a: { wantedRun: 1, outcome: late } }).analyses.a).toEqual({
      outcome: 'late',
      run: 1,
      message: expect.any(String),
      usage: null,
      warnings: [],
      finishedAt: null,
    });
  });

  test('is complete when every requested analysis is done, and never for none', () => {
    expect(receiptOf({ summary: { wantedRun: 1, outcome: details({}) } }).complete).toBe(true);
    expect(receiptOf({}).complete).toBe(false);
  });

  test('says why an analysis is not done', () => {
    const refusal = { code: 'UNSUPPORTED_LANGUAGE', message: 'not English', provider: null };
    const failure = { code: 'TEXT_TOO_LARGE', message: 'too long', attempts: 2 };
    const { analyses } = receiptOf({
      a: { wantedRun: 1, outcome: details({ status: 'refused', refusal }) },
      b: { wantedRun: 1, outcome: details({ status: 'failed', failure }) },
      c: { wantedRun: 1, outcome: details({ status: 'late', finishedAt: null, engine: null, coverage: null }) },
      d: { wantedRun: 1, outcome: details({ status: 'refused', refusal: { ...refusal, provider: 'acme-ai' } }) },
    });
    expect(analyses).toMatchObject({
      a: { outcome: 'refused', code: 'UNSUPPORTED_LANGUAGE', message: 'not English' },
      b: { outcome: 'failed', code: 'TEXT_TOO_LARGE', message: 'too long', attempts: 2 },
      c: { outcome: 'late', finishedAt: null },
      d: { provider: 'acme-ai' },
    });
    expect(analyses.a).not.toHaveProperty('provider');
  });
});
