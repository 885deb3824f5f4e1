import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jobIdOf, newTraceparent, outcomeIdOf, parseTraceparent } from '@anabranch/contracts';
import { headerText } from '@anabranch/kafka';
import { objectKey } from '@anabranch/object-store';
import { eventually } from '@anabranch/test-support';
import { textSha256 } from '@anabranch/text';
import { z } from 'zod';
import { defineAnalysis } from '../src/index.js';
import { createInstallation } from './fixtures/installation.js';

/** An analysis whose result is the text; the word POISON makes it fail, as a bug would. */
const echo = defineAnalysis({
  name: 'summary',
  engine: { kind: 'EMBEDDED', name: 'echo', version: '1' },
  config: z.object({ suffix: z.string().default('!') }),
  maxCharacters: 200_000,
  analyse: ({ text }, { config }) => {
    if (text.includes('POISON')) return Promise.reject(new Error(`cannot read ${text}`));
    return Promise.resolve({
      result: {
        kind: 'EXTRACTIVE',
        text: text + config.suffix,
        sentences: [],
        coverage: { strategy: 'single', chunks: 1, sentencesRead: 1, sentencesTotal: 1 },
      },
    });
  },
});

const installation = createInstallation();
const { store, failures, producer, publish, outcomesOf, outcomeOf, settled, deadLetterCount } = installation;

beforeAll(async () => {
  await installation.start();
  await installation.startService(echo);
});

afterAll(() => installation.close());

describe('an analysis on real Kafka', () => {
  it('answers a document with one outcome, under its key, in its trace', async () => {
    const traceparent = newTraceparent();
    const { documentId } = await publish({ text: 'Good news.' }, { traceparent });
    const record = await outcomeOf(documentId);
    await settled();
    expect(outcomesOf(documentId)).toHaveLength(1);
    const jobId = jobIdOf({ tenantId: 'acme', documentId, revision: 1 });
    expect(record.event).toMatchObject({
      eventId: outcomeIdOf({ jobId, analysis: 'summary', run: 1, status: 'DONE' }),
      jobId,
      textSha256: textSha256('Good news.'),
      outcome: { status: 'DONE', result: { text: 'Good news.!' } },
    });
    expect(record.key?.toString()).toBe(documentId);
    const trace = parseTraceparent(headerText(record, 'traceparent'));
    expect(trace?.traceId).toBe(parseTraceparent(traceparent)?.traceId);
  });

  it('reads a text by its claim check, and gives back a large result by one', async () => {
    const documentId = randomUUID();
    const text = 'A longer story. '.repeat(6_000);
    const key = objectKey({ tenantId: 'acme', documentId, revision: 1, name: 'text.txt' });
    await publish({ documentId, text: null, textRef: await store.put(key, Buffer.from(text)) });
    const { event } = await outcomeOf(documentId);
    expect(event.outcome).toMatchObject({ status: 'DONE', result: null });
    expect(event.resultRef).not.toBeNull();
    const result = await store.get(event.resultRef ?? { key: '', sha256: '', bytes: 0 }, 'acme');
    expect(JSON.parse(result.toString('utf8'))).toMatchObject({ kind: 'EXTRACTIVE', text: `${text}!` });
  });

  it('answers a repeated document with the same event id', async () => {
    const first = await publish({ text: 'Again.' });
    await producer.publish('document.ingested', first);
    const [one, other] = await eventually(() => {
      const found = outcomesOf(first.documentId);
      return found.length === 2 && found;
    });
    expect(other?.event.eventId).toBe(one?.event.eventId);
    expect(other?.event.outcome).toEqual(one?.event.outcome);
  });

  it('is silent about a document that did not ask for it', async () => {
    const { documentId } = await publish({ requestedAnalyses: ['sentiment'] });
    await settled();
    const wanted = await publish({ requestedAnalyses: ['summary', 'sentiment'] });
    await outcomeOf(wanted.documentId);
    expect(outcomesOf(documentId)).toEqual([]);
  });

  it('dead-letters a document that it fails on, then says that it failed, and goes on', async () => {
    const before = await deadLetterCount();
    const { documentId } = await publish({ text: 'POISON.' });
    const { event } = await outcomeOf(documentId);
    expect(await deadLetterCount()).toBe(before + 1);
    expect(event.outcome).toMatchObject({ status: 'FAILED', failure: { code: 'HANDLER_FAILED', attempts: 2 } });
    expect(JSON.stringify(event)).not.toContain('POISON');
    const next = await publish({ documentId, revision: 2, text: 'Healthy.' });
    const healthy = await eventually(() => outcomesOf(next.documentId)[1]);
    expect(healthy.event.outcome.status).toBe('DONE');
  });

  it('names a text above its limit in a failure, dead-lettered without a second try', async () => {
    const before = await deadLetterCount();
    const { documentId } = await publish({ text: 'x'.repeat(200_001) });
    const { event } = await outcomeOf(documentId);
    expect(event.outcome).toMatchObject({ status: 'FAILED', failure: { code: 'TEXT_TOO_LARGE', attempts: 1 } });
    expect(await deadLetterCount()).toBe(before + 1);
  });

  it('dead-letters a record that lies about its job, and publishes no outcome for it', async () => {
    const before = await deadLetterCount();
    const { documentId } = await publish({ jobId: randomUUID() });
    await settled();
    expect(await deadLetterCount()).toBe(before + 1);
    const marker = await publish({});
    await outcomeOf(marker.documentId);
    expect(outcomesOf(documentId)).toEqual([]);
  });

  it('refuses a document without text, which is no dead letter', async () => {
    const before = await deadLetterCount();
    const { documentId } = await publish({ text: ' ' });
    const { event } = await outcomeOf(documentId);
    expect(event.outcome).toMatchObject({ status: 'REFUSED', refusal: { code: 'NO_CONTENT' } });
    await settled();
    expect(await deadLetterCount()).toBe(before);
  });

  it('never asked its host to stop', () => {
    expect(failures).toEqual([]);
  });
});
