import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DocumentEnriched, DocumentIngested } from '@anabranch/contracts';
import { PoisonMessage } from '@anabranch/failures';
import { eventually } from '@anabranch/test-support';
import type { INestMicroservice } from '@nestjs/common';
import { Controller, Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Registry } from 'prom-client';
import { headerText, type SettledFailure } from '../src/index.js';
import { KafkaStrategy, OnEvent, OnTopics, type RecordContext } from '../src/nest/index.js';
import { enrichedOf } from './harness/enriched.js';
import { isMemberless } from './harness/group-state.js';
import { Platform } from './harness/platform.js';

const inbox = 'inbox';
interface Handled {
  readonly documentId: string;
  readonly traceparent: string | undefined;
}

@Controller()
class DocumentsController {
  constructor(@Inject(inbox) private readonly handled: Handled[]) {}

  @OnEvent('document.ingested')
  async onDocumentIngested(event: DocumentIngested, { record }: RecordContext<DocumentIngested>): Promise<void> {
    await Promise.resolve();
    if (event.documentId === 'refused') throw new PoisonMessage('UNKNOWN_TENANT', 'There is no such tenant.');
    this.handled.push({ documentId: event.documentId, traceparent: headerText(record, 'traceparent') });
  }
}

@Controller()
class ResultsController {
  constructor(@Inject(inbox) private readonly handled: Handled[]) {}

  @OnTopics<DocumentEnriched>('results')
  async onResult({ documentId }: DocumentEnriched, { record }: RecordContext<DocumentEnriched>): Promise<void> {
    await Promise.resolve();
    this.handled.push({ documentId, traceparent: record.topic });
  }
}

const handled: Handled[] = [];

@Module({ controllers: [DocumentsController, ResultsController], providers: [{ provide: inbox, useValue: handled }] })
class DocumentsModule {}

describe('in a Nest application', () => {
  let platform: Platform;
  let app: INestMicroservice;
  let strategy: KafkaStrategy<'document.ingested'>;
  let group: string;
  const settled: SettledFailure[] = [];
  const metrics = new Registry();

  beforeAll(async () => {
    platform = await Platform.start();
    group = platform.uniqueGroup();
    const { config, registry, producer, log } = platform;
    strategy = new KafkaStrategy({
      config,
      registry,
      producer,
      log,
      group,
      topics: { 'document.ingested': {} },
      lists: { results: { topics: [] } },
      settings: { instanceId: 'nest', sessionTimeoutMs: 30_000 },
      isRemoved: () => true,
      metrics,
      onFatal: (error) => platform.fatal.push(error),
      onSettled: (_, failure) => Promise.resolve(void settled.push(failure)),
      launch: undefined,
      drainMs: 30_000,
    });
    app = await NestFactory.createMicroservice(DocumentsModule, { strategy, logger: false, abortOnError: false });
    await app.listen();
  });
  afterAll(async () => {
    await app.close();
    await platform.close();
  });

  it('a method with @OnEvent gets typed events and the record itself', async () => {
    expect(strategy.health()).toEqual({ ready: true, reasons: [] });
    const { producer } = platform;
    await producer.publish(
      'document.ingested',
      { tenantId: 'tenant', documentId: 'good', revision: 1, occurredAt: 1, text: 'text' },
      { headers: { traceparent: '00-trace-span-01' } },
    );
    await eventually(() => handled.length === 1);
    expect(handled).toEqual([{ documentId: 'good', traceparent: '00-trace-span-01' }]);
  });

  it('what it throws reaches the runtime as the failure that it is', async () => {
    await platform.publish('refused', 'text');
    await eventually(() => settled.length === 1);
    expect(settled[0]).toMatchObject({ code: 'UNKNOWN_TENANT', message: 'There is no such tenant.', attempts: 1 });
  });

  it('its progress is seen by the answers to its fetches, also when it is idle', async () => {
    const age = async () => Number(/^anabranch_fetch_age_seconds (\S+)$/m.exec(await metrics.metrics())?.[1]);
    await eventually(async () => (await age()) > 0);
    expect(strategy.progress()).toEqual({ ready: true, reasons: [] });
  });

  it('a method with @OnTopics gets the topics of its list, which may change while it runs', async () => {
    await strategy.setTopics('results', ['document.enriched']);
    await platform.producer.publish('document.enriched', enrichedOf('listed'));
    await eventually(() => handled.some(({ documentId }) => documentId === 'listed'));
    const topic = `${platform.config.topicPrefix}document.enriched`;
    expect(handled).toContainEqual({ documentId: 'listed', traceparent: topic });
  });

  it('a list cannot have a topic that has a method of its own', async () => {
    await expect(strategy.setTopics('results', ['document.ingested'])).rejects.toThrow('Two handlers');
    await expect(strategy.setTopics('unheard', ['document.enriched'])).rejects.toThrow('there is no list unheard');
  });

  it('closing it finishes, commits and, when it is removed, gives its seat up', async () => {
    await platform.publish('last', 'text');
    await eventually(() => handled.some(({ documentId }) => documentId === 'last'));
    await app.close();
    expect((await platform.committed(group)).get(0)).toBe(3);
    expect(strategy.health().ready).toBe(false);
    expect(await isMemberless(platform.config, group)).toBe(true);
  });
});
