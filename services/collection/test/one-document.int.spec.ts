import { inlineTextMaxBytes, newTraceparent, parseTraceparent, settlementIdOf } from '@anabranch/contracts';
import { getHistory, getJob, getResult, getText } from '@anabranch/database/jobs';
import { headerText } from '@anabranch/kafka';
import { eventually } from '@anabranch/test-support';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { analyses, ingested, Installation, tenantId, type RunningCollector } from './harness/installation.js';

jest.setTimeout(60_000);

describe('a document that came straight through Kafka', () => {
  let installation: Installation;
  let collector: RunningCollector;

  beforeAll(async () => {
    installation = await Installation.create();
    collector = await installation.startCollector();
  });
  afterAll(async () => {
    await collector.close();
    await installation.close();
  });

  test('opens its job with the deployment’s analyses and its deadline from the broker’s time', async () => {
    const event = ingested({ text: 'A\u0000 text.', deadlineMs: 90_000 });
    await installation.publishDocument(event);
    const job = await eventually(async () => (await getJob(installation.db, tenantId, event.jobId)) ?? undefined);
    expect(job).toMatchObject({ state: 'analysing', revision: 1, documentId: event.documentId });
    expect(job.analyses).toEqual(Object.fromEntries(analyses.map((name) => [name, 'waiting'])));
    expect(Math.abs(Date.parse(job.deadlineAt) - Date.now() - 90_000)).toBeLessThan(60_000);
    expect(await getText(installation.db, tenantId, event.jobId)).toMatchObject({
      text: 'A text.',
      textSha256: event.textSha256,
    });
  });

  test('becomes one enriched event, with a receipt, all results, CloudEvents headers and the trace that it came in', async () => {
    const traceparent = newTraceparent();
    const event = ingested({ metadata: { mailbox: 'legal' } });
    await installation.publishDocument(event, { traceparent });
    await installation.publishOutcomes(event);
    const [record] = await eventually(
      () => installation.enrichedOf(event).length > 0 && installation.enrichedOf(event),
    );
    expect(record?.event).toMatchObject({
      eventId: settlementIdOf(event.jobId, 1),
      state: 'COMPLETE',
      reason: null,
      resultVersion: 1,
      final: true,
      supersededBy: null,
      metadata: { mailbox: 'legal' },
      textSha256: event.textSha256,
      correlationId: event.correlationId,
    });
    expect(record?.event.outcomes.map(({ analysis, status }) => [analysis, status])).toEqual(
      analyses.map((name) => [name, 'DONE']),
    );
    for (const { resultJson, resultSchema } of record?.event.outcomes ?? []) {
      expect(resultSchema).toMatch(/^anabranch\.analysis\..+\/v1$/);
      expect(JSON.parse(resultJson ?? '')).toEqual(expect.any(Object));
    }
    expect(record?.key?.toString()).toBe(event.documentId);
    expect(record && headerText(record, 'ce_id')).toBe(record?.event.eventId);
    const trace = record && parseTraceparent(headerText(record, 'traceparent'));
    expect(trace?.traceId).toBe(parseTraceparent(traceparent)?.traceId);

    const result = await getResult(installation.db, tenantId, event.jobId);
    expect(result).toMatchObject({
      state: 'complete',
      resultDigest: record?.event.resultDigest,
      receipt: { complete: true },
    });
    expect(Object.keys(result?.results ?? {}).sort()).toEqual(analyses);
    expect((await getHistory(installation.db, tenantId, { jobId: event.jobId })).at(-1)).toMatchObject({
      type: 'settled',
    });
  });

  test('is partial when an analysis refuses or fails, and the event says why', async () => {
    const event = ingested();
    const [refused = '', failed = '', ...done] = analyses;
    await installation.publishDocument(event);
    await installation.publishOutcome(refused, event, { status: 'REFUSED' });
    await installation.publishOutcome(failed, event, { status: 'FAILED' });
    await installation.publishOutcomes(event, done);
    const [record] = await eventually(
      () => installation.enrichedOf(event).length > 0 && installation.enrichedOf(event),
    );
    expect(record?.event).toMatchObject({ state: 'PARTIAL', final: true });
    expect(record?.event.reason).toContain(`${refused}: refused, NO_CONTENT`);
    expect(record?.event.reason).toContain(`${failed}: failed, HANDLER_FAILED`);
  });

  test('keeps a result that lies in the object store as a claim check', async () => {
    const event = ingested();
    const [large = '', ...rest] = analyses;
    const content = Buffer.from(JSON.stringify({ large: true }));
    const resultRef = await installation.store.put(`${tenantId}/results/${event.jobId}`, content);
    await installation.publishDocument(event);
    const outcome = { status: 'DONE' as const, result: null, refusal: null, failure: null };
    await installation.publishOutcome(large, event, { resultRef, outcome });
    await installation.publishOutcomes(event, rest);
    const [record] = await eventually(
      () => installation.enrichedOf(event).length > 0 && installation.enrichedOf(event),
    );
    expect(record?.event.outcomes.find(({ analysis }) => analysis === large)).toMatchObject({
      resultJson: null,
      resultRef,
    });
    expect((await getResult(installation.db, tenantId, event.jobId))?.resultRefs).toEqual({ [large]: resultRef });
  });

  test('whose text lies in the object store opens its job, also when its producer left the digest out', async () => {
    const content = Buffer.from('A long text, far away.');
    const textRef = await installation.store.put(`${tenantId}/spec/text-${Date.now()}`, content);
    const event = ingested({ text: null, textRef });
    await installation.publishDocument({ ...event, textSha256: '' });
    const text = await eventually(async () => (await getText(installation.db, tenantId, event.jobId)) ?? undefined);
    expect(text).toMatchObject({ text: null, textRef });
    expect(text.textSha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test('whose text is nowhere settles with the failures of its analyses', async () => {
    const textRef = { key: `${tenantId}/spec/missing`, sha256: '0'.repeat(64), bytes: 1 };
    const event = { ...ingested({ text: null, textRef }), textSha256: '' };
    await installation.publishDocument(event);
    for (const analysis of analyses) await installation.publishOutcome(analysis, event, { status: 'FAILED' });
    const [record] = await eventually(
      () => installation.enrichedOf(event).length > 0 && installation.enrichedOf(event),
    );
    expect(record?.event).toMatchObject({ state: 'PARTIAL', resultVersion: 1 });
  });

  test('that asks for an analysis that does not exist is rejected, and the event says so', async () => {
    const event = ingested({ requestedAnalyses: ['summary', 'horoscope'] });
    await installation.publishDocument(event);
    const [record] = await eventually(
      () => installation.enrichedOf(event).length > 0 && installation.enrichedOf(event),
    );
    expect(record?.event).toMatchObject({ state: 'REJECTED', outcomes: [], resultDigest: '' });
    expect(record?.event.reason).toContain('horoscope');
  });

  test('whose inline text is longer than ingestion would send is processed and counted', async () => {
    const event = ingested({ text: 'long '.repeat(inlineTextMaxBytes / 5 + 1) });
    await installation.publishDocument(event);
    await eventually(async () => (await getText(installation.db, tenantId, event.jobId))?.text === event.text);
    expect(await collector.metrics.metrics()).toContain('anabranch_long_inline_texts_total 1');
  });

  test('is ready, and its facts are counted', async () => {
    expect(installation.failures).toEqual([]);
    for (const check of collector.health.values()) expect(check()).toMatchObject({ ready: true });
    expect(await collector.metrics.metrics()).toMatch(/anabranch_jobs_settled_total\{state="complete"\} \d/);
  });
});
