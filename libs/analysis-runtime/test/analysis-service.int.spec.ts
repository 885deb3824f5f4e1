import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  type AnalysisFinished,
  type DocumentIngestedInput,
  jobIdOf,
  newTraceparent,
  outcomeIdOf,
  parseTraceparent,
  topics,
} from '@anabranch/contracts';
import {
  createAdmin,
  createConsumer,
  createEventProducer,
  createSchemaRegistry,
  headerText,
  type IncomingRecord,
  type KafkaAdmin,
  type KafkaConfig,
} from '@anabranch/kafka';
import { createObjectStore, objectKey } from '@anabranch/object-store';
import type { ServiceContext } from '@anabranch/service-host';
import { eventually, testAddress, uniqueName } from '@anabranch/test-support';
import { textSha256 } from '@anabranch/text';
import { NestFactory } from '@nestjs/core';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { analysisService, defineAnalysis } from '../src/index.js';

jest.setTimeout(30_000);

const folder = mkdtempSync(join(tmpdir(), 'anabranch-'));
const store = createObjectStore({ objectStoreDir: folder });
const topicPrefix = `${uniqueName('runtime')}.`;
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const output = 'analysis.summary.finished';
const used = ['document.ingested', 'analysis.summary.requested', output, 'dead-letters'] as const;
const failures: unknown[] = [];
const closing: (() => unknown)[] = [];

const kafka = (): KafkaConfig => ({
  brokers: testAddress('kafka').split(','),
  registryUrl: testAddress('registry'),
  clientId: 'spec',
  topicPrefix,
});

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

/** What the host gives to a service. */
const context = (config: Record<string, unknown>): ServiceContext =>
  ({
    name: 'summary',
    instance: '0',
    drainMs: 10_000,
    log,
    metrics: new Registry(),
    health: { register: () => {} },
    signal: new AbortController().signal,
    isRemoved: () => false,
    config,
    onClose: (close: () => unknown) => closing.unshift(close),
    fail: (error: unknown) => failures.push(error),
  }) as unknown as ServiceContext;

const startService = async (): Promise<void> => {
  const service = analysisService(echo, { topicPrefix });
  const config = service.config.parse({
    kafkaBrokers: testAddress('kafka'),
    registryUrl: testAddress('registry'),
    objectStoreDir: folder,
  });
  const { module, transports = [] } = await service.create(context(config));
  const app = await NestFactory.createMicroservice(module, { strategy: transports[0], logger: false });
  closing.unshift(() => app.close());
  await app.listen();
};

const withAdmin = async <T>(work: (admin: KafkaAdmin) => Promise<T>): Promise<T> => {
  const admin = createAdmin(kafka());
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
};

const outcomes: IncomingRecord<AnalysisFinished>[] = [];

const createClients = () => {
  const registry = createSchemaRegistry({ config: kafka() });
  const producer = createEventProducer({ config: kafka(), registry, metrics: new Registry(), log });
  closing.push(() => producer.stop());
  return { registry, producer };
};
let clients: ReturnType<typeof createClients>;

const startReader = async (): Promise<void> => {
  const reader = createConsumer({
    ...clients,
    config: kafka(),
    group: `${topicPrefix}reader`,
    topics: {
      [output]: {
        handler: (record) => {
          outcomes.push(record as IncomingRecord<AnalysisFinished>);
          return Promise.resolve();
        },
      },
    },
    onFatal: (error) => failures.push(error),
    metrics: new Registry(),
    log,
  });
  await reader.start();
  closing.unshift(() => reader.stop(10_000));
};

const publish = async (document: Partial<DocumentIngestedInput>, headers: Record<string, string> = {}) => {
  const event = {
    tenantId: 'acme',
    documentId: randomUUID(),
    revision: 1,
    occurredAt: 1_700_000_000_000,
    text: 'Hello.',
    ...document,
  };
  await clients.producer.publish('document.ingested', event, { headers });
  return event;
};

const outcomesOf = (documentId: string): IncomingRecord<AnalysisFinished>[] =>
  outcomes.filter(({ event }) => event.documentId === documentId);

const outcomeOf = (documentId: string) => eventually(() => outcomesOf(documentId)[0]);

/** Resolves when the service has finished everything that was published: the group has committed each partition's end. */
const settled = (): Promise<unknown> =>
  withAdmin((admin) =>
    eventually(async () => {
      const committed = await admin.committedOffsets(`${topicPrefix}anabranch.summary`, ['document.ingested']);
      const ends = (await admin.endOffsets('document.ingested')).filter(({ high }) => high > 0);
      return ends.every(({ partition, high }) => committed.find((at) => at.partition === partition)?.offset === high);
    }),
  );

const deadLetterCount = (): Promise<number> =>
  withAdmin(async (admin) => (await admin.endOffsets('dead-letters')).reduce((sum, { high }) => sum + high, 0));

beforeAll(async () => {
  const definitions = used.map((name) => topics[name]);
  await withAdmin((admin) => admin.ensureTopics(definitions));
  await withAdmin((admin) => admin.registerSchemas(definitions));
  clients = createClients();
  await Promise.all([startReader(), startService()]);
});

afterAll(async () => {
  for (const close of closing) await close();
  await withAdmin((admin) => admin.deleteTopics(used));
  rmSync(folder, { recursive: true });
});

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
    await clients.producer.publish('document.ingested', first);
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
