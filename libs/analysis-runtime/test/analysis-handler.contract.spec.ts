import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  type ContentRef,
  jobIdOf,
  newTraceparent,
  outcomeIdOf,
  parseTraceparent,
  resultInlineMaxBytes,
} from '@anabranch/contracts';
import { DependencyUnavailable, PoisonMessage, Refused } from '@anabranch/failures';
import { createObjectStore, objectKey } from '@anabranch/object-store';
import { textSha256 } from '@anabranch/text';
import { type AnyAnalysis, defineAnalysis } from '../src/define-analysis.js';
import { createHarness as createHarnessOn, ingestedRecord } from '../src/testing/index.js';

const folder = mkdtempSync(join(tmpdir(), 'anabranch-'));
afterAll(() => rmSync(folder, { recursive: true }));
const store = createObjectStore({ objectStoreDir: folder });
const createHarness = (definition: AnyAnalysis) => createHarnessOn(definition, { store });
const keyOf = (tenantId: string, documentId: string): string =>
  objectKey({ tenantId, documentId, revision: 1, name: 'text.txt' });

const summaryOf = (text: string) => ({
  kind: 'EXTRACTIVE' as const,
  text,
  sentences: [],
  coverage: { strategy: 'single', chunks: 1, sentencesRead: 1, sentencesTotal: 1 },
});

/** The simplest analysis: its result is the text. */
const echo = defineAnalysis({
  name: 'summary',
  engine: { kind: 'EMBEDDED', name: 'echo', version: '1' },
  analyse: ({ text }) => Promise.resolve({ result: summaryOf(text) }),
});

const failing = (error: unknown): AnyAnalysis => ({ ...echo, analyse: () => Promise.reject(error as Error) });

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('an analysis in its runtime', () => {
  it('derives the ids that a foreign producer left empty', async () => {
    const subject = createHarness(echo);
    await subject.handle(ingestedRecord({ text: 'Hello.' }));
    const jobId = jobIdOf({ tenantId: 'tenant-1', documentId: 'document-1', revision: 1 });
    expect(subject.published[0]?.event).toMatchObject({
      jobId,
      eventId: outcomeIdOf({ jobId, analysis: 'summary', run: 1, status: 'DONE' }),
      correlationId: jobId,
      run: 1,
    });
  });

  it('gives a redelivered document the same event id', async () => {
    const subject = createHarness(echo);
    const record = ingestedRecord({ text: 'Hello.' });
    await subject.handle(record);
    await subject.handle(record);
    expect(new Set(subject.published.map(({ event }) => event.eventId)).size).toBe(1);
    expect(subject.published).toHaveLength(2);
  });

  it.each([
    ['none is named', [], 1],
    ['it is named', ['sentiment', 'summary'], 1],
    ['only others are named', ['sentiment'], 0],
  ])('has an outcome count that follows the request when %s', async (_name, requestedAnalyses, outcomes) => {
    const subject = createHarness(echo);
    const record = ingestedRecord({ text: 'Hello.', requestedAnalyses });
    await subject.handle(record);
    expect(subject.published).toHaveLength(outcomes);
    await subject.settle(record, new PoisonMessage('HANDLER_FAILED', 'broken'));
    expect(subject.published).toHaveLength(2 * outcomes);
  });

  it('analyses the cleaned text, and hashes that one', async () => {
    const { outcome, textSha256: sha256 } = await createHarness(echo).outcomeOf({ text: 'a\0b\r\n' });
    expect(outcome.result).toMatchObject({ text: 'ab\r\n' });
    expect(sha256).toBe(textSha256('ab\r\n'));
  });

  it('reads a text by its claim check', async () => {
    const subject = createHarness(echo);
    const textRef = await store.put(keyOf('tenant-1', 'd'), Buffer.from('From the store 😀.'));
    const { outcome } = await subject.outcomeOf({ text: null, textRef });
    expect(outcome.result).toMatchObject({ text: 'From the store 😀.' });
  });

  it('never reads a text of another tenant', async () => {
    const subject = createHarness(echo);
    const textRef = await store.put(keyOf('tenant-2', 'd'), Buffer.from('Secret.'));
    const error = await thrownBy(subject.handle(ingestedRecord({ text: null, textRef })));
    expect(error).toBeInstanceOf(PoisonMessage);
    expect(subject.published).toEqual([]);
  });

  it('does not load a text whose claim check already says that it is too large', async () => {
    const subject = createHarness({ ...echo, maxCharacters: 10 });
    const textRef = { key: 'tenant-1/d/1/absent', sha256: 'a'.repeat(64), bytes: 41 };
    const error = await thrownBy(subject.handle(ingestedRecord({ text: null, textRef })));
    expect(error).toMatchObject({ code: 'TEXT_TOO_LARGE' });
  });

  it('rejects a text that has another hash than the event says', async () => {
    const record = ingestedRecord({ text: 'Hello.', textSha256: 'b'.repeat(64) });
    expect(await thrownBy(createHarness(echo).handle(record))).toMatchObject({ code: 'CONTENT_MISMATCH' });
  });

  it.each([
    ['a key that is not the document', {}, { key: Buffer.from('other') }, 'KEY_MISMATCH'],
    ['a job id of another job', { jobId: 'b3f4c1de-0000-5000-8000-000000000000' }, {}, 'JOB_ID_MISMATCH'],
    ['neither text nor claim check', { text: null }, {}, 'INVALID_EVENT'],
  ])('rejects %s, and publishes no outcome about a job that it cannot name', async (_name, fields, bytes, code) => {
    const subject = createHarness(echo);
    const record = ingestedRecord({ text: 'Hello.', ...fields }, bytes);
    const error = await thrownBy(subject.handle(record));
    expect(error).toMatchObject({ code });
    await subject.settle(record, error);
    expect(subject.published).toEqual([]);
  });

  it('publishes nothing about a record that could not be decoded', async () => {
    const subject = createHarness(echo);
    const record = { ...ingestedRecord({ text: 'Hello.' }), event: undefined };
    await subject.settle(record as never, new PoisonMessage('DECODE_FAILED', 'no bytes'));
    expect(subject.published).toEqual([]);
  });

  it('publishes a refusal of the engine as an outcome, with who refused', async () => {
    const refused = new Refused('CONTENT_FILTERED', 'The provider refused.', { provider: 'acme' });
    const { outcome } = await createHarness(failing(refused)).outcomeOf({ text: 'Hello.' });
    expect(outcome).toEqual({
      status: 'REFUSED',
      refusal: { code: 'CONTENT_FILTERED', message: 'The provider refused.', provider: 'acme' },
    });
  });

  it('leaves a bug of the engine to the consumer without its message, which may quote the document', async () => {
    const bug = new TypeError('the text was: Hello.');
    const subject = createHarness(failing(bug));
    const record = ingestedRecord({ text: 'Hello.' });
    const error = (await thrownBy(subject.handle(record))) as Error;
    expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain('Hello.');
    expect(error.message).toContain('TypeError');
    expect(error.stack?.split('\n').slice(1)).toEqual(bug.stack?.split('\n').slice(1));
    await subject.settle(record, error);
    const [failed] = subject.published;
    expect(failed?.event.outcome).toMatchObject({ status: 'FAILED', failure: { code: 'HANDLER_FAILED', attempts: 1 } });
    expect(failed?.event.textSha256).toBe(textSha256('Hello.'));
  });

  it('gives a repeated failure the same event id, and another one than success', async () => {
    const subject = createHarness(echo);
    const record = ingestedRecord({ text: 'Hello.' });
    await subject.settle(record, new Error('one'));
    await subject.settle(record, new Error('two'));
    await subject.handle(record);
    const ids = subject.published.map(({ event }) => event.eventId);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('takes a result that breaks its schema for a bug of the engine, and says where it breaks', async () => {
    const broken = { ...summaryOf('Hello.'), sentences: 'none' };
    const subject = createHarness({ ...echo, analyse: () => Promise.resolve({ result: broken }) });
    const record = ingestedRecord({ text: 'Hello.' });
    const error = await thrownBy(subject.handle(record));
    expect(error).toBeInstanceOf(PoisonMessage);
    expect(error).toMatchObject({ code: 'HANDLER_FAILED' });
    expect((error as Error).message).toContain('outcome.result.sentences');
    await subject.settle(record, error);
    expect(subject.published[0]?.event.outcome.failure).toMatchObject({ code: 'HANDLER_FAILED' });
  });

  it('moves a result above 64 KiB of JSON to the object store, and keeps one of exactly that inline', async () => {
    const overhead = JSON.stringify(summaryOf('')).length;
    const inline = await createHarness(echo).outcomeOf({ text: 'x'.repeat(resultInlineMaxBytes - overhead) });
    expect(inline.resultRef).toBeNull();
    const subject = createHarness(echo);
    const text = 'x'.repeat(resultInlineMaxBytes - overhead + 1);
    const { outcome, resultRef } = await subject.outcomeOf({ text });
    expect(outcome).toMatchObject({ status: 'DONE', result: null });
    expect(resultRef?.key).toMatch(/^tenant-1\/[0-9a-f]{64}\/1\/summary\.1\.[0-9a-f]{16}\.json$/);
    const stored = await store.get(resultRef as ContentRef, 'tenant-1');
    // Without nulls, in the order of the schema: as all readers get it.
    expect(stored.toString('utf8')).toBe(JSON.stringify(summaryOf(text)));
  });

  it('continues the document’s trace, or begins one', async () => {
    const subject = createHarness(echo);
    const traceparent = newTraceparent();
    const headers = [['traceparent', Buffer.from(traceparent)] as const];
    await subject.handle(ingestedRecord({ text: 'Hello.' }, { headers }));
    await subject.handle(ingestedRecord({ text: 'Hello.' }));
    const [continued, begun] = subject.published.map((record) => parseTraceparent(record.headers['traceparent']));
    expect(continued?.traceId).toBe(parseTraceparent(traceparent)?.traceId);
    expect(continued?.spanId).not.toBe(parseTraceparent(traceparent)?.spanId);
    expect(begun?.traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('logs ids and codes, and never text of the document', async () => {
    const subject = createHarness(echo);
    const record = ingestedRecord({ text: 'Top secret.', metadata: { label: 'secret label' } });
    await subject.handle(record);
    await subject.settle(record, new PoisonMessage('CONTENT_MISSING', 'There is no object.'));
    const jobId = jobIdOf({ tenantId: 'tenant-1', documentId: 'document-1', revision: 1 });
    expect(subject.logged.map((line) => JSON.parse(line) as object)).toMatchObject([
      { jobId, documentId: 'document-1', tenantId: 'tenant-1', traceId: expect.any(String) },
      { jobId, code: 'CONTENT_MISSING' },
    ]);
    expect(subject.logged.join()).not.toMatch(/secret/);
  });

  it('counts outcomes by status, and times the analysis', async () => {
    const subject = createHarness(echo);
    await subject.outcomeOf({ text: 'Hello.' });
    await subject.outcomeOf({ text: ' ' });
    await subject.settle(ingestedRecord({ text: 'Hello.' }), new Error('broken'));
    const page = await subject.metrics.metrics();
    for (const status of ['done', 'refused', 'failed']) {
      expect(page).toContain(`anabranch_outcomes_total{analysis="summary",status="${status}"} 1`);
    }
    expect(page).toContain('anabranch_analysis_seconds_count{analysis="summary"} 1');
  });

  it('leaves a store that is down to the consumer, which pauses intake', async () => {
    const down = new DependencyUnavailable('object-store', 'The disk is gone.');
    const subject = createHarnessOn(echo, { store: { put: store.put, get: () => Promise.reject(down) } });
    const textRef = { key: 'tenant-1/d/1/text', sha256: 'a'.repeat(64), bytes: 4 };
    expect(await thrownBy(subject.handle(ingestedRecord({ text: null, textRef })))).toBe(down);
    expect(subject.published).toEqual([]);
  });
});
