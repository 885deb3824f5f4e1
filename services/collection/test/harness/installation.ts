import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  analysisTopic,
  analysisTopics,
  topics,
  type AnalysisFinished,
  type DocumentEnriched,
} from '@anabranch/contracts';
import { createDatabase, databaseConfig, type Database } from '@anabranch/database';
import { createTenant } from '@anabranch/database/access';
import { upsertAnalyses } from '@anabranch/database/catalogue';
import {
  createAdmin,
  createConsumer,
  createEventProducer,
  createSchemaRegistry,
  type EventProducer,
  type IncomingRecord,
  type KafkaAdmin,
  type KafkaConfig,
} from '@anabranch/kafka';
import { createObjectStore, type ObjectStore } from '@anabranch/object-store';
import type { ServiceContext } from '@anabranch/service-host';
import { analysisFinished, documentIngested, testAddress, uniqueName } from '@anabranch/test-support';
import { createTestDatabase } from '@anabranch/test-support/postgres';
import { cleanText, textSha256 } from '@anabranch/text';
import { NestFactory } from '@nestjs/core';
import { Registry } from 'prom-client';
import { collectionService } from '../../src/service.js';

export const tenantId = 'acme';
export const analyses = analysisTopics.map(({ analysis }) => analysis ?? '').sort();

type Enriched = IncomingRecord<DocumentEnriched>;
type Ingested = ReturnType<typeof ingested>;

/** A collector that runs, as far as a spec needs to touch it. */
export interface RunningCollector {
  readonly metrics: Registry;
  readonly health: Map<string, () => { ready: boolean }>;
  close(): Promise<void>;
}

/** A document as a producer publishes it, with the digest that its readers derive. */
export function ingested(given: Parameters<typeof documentIngested>[0] = {}) {
  const event = documentIngested({ tenantId, ...given });
  return { ...event, textSha256: event.textSha256 || textSha256(cleanText(event.text ?? '')) };
}

/** Topics, a group, a database and an object store that nobody else uses, on real Kafka, registry and Postgres. */
export class Installation {
  /** Everything on `document.enriched`, as it lies in the log. */
  readonly enriched: Enriched[] = [];
  /** What ended a process, and what was logged as an error. */
  readonly failures: unknown[] = [];
  private readonly log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (fields: object, message: string) => void this.failures.push({ message, ...fields }),
  };
  private readonly closers: (() => unknown)[] = [];
  private startedCollectors = 0;

  private constructor(
    readonly kafka: KafkaConfig,
    readonly admin: KafkaAdmin,
    readonly producer: EventProducer,
    readonly db: Database,
    readonly store: ObjectStore,
    private readonly settings: Record<string, string>,
  ) {}

  static async create(): Promise<Installation> {
    const topicPrefix = `${uniqueName('collection')}.`;
    const registryUrl = testAddress('registry');
    const kafka = { brokers: testAddress('kafka').split(','), registryUrl, clientId: 'spec', topicPrefix };
    const admin = createAdmin(kafka);
    await admin.registerSchemas(Object.values(topics));
    await admin.ensureTopics(Object.values(topics).map((topic) => ({ ...topic, partitions: 2 })));
    const { url, drop } = await createTestDatabase();
    const db = await createDatabase(databaseConfig.parse({ postgresUrl: url }), { name: 'spec' });
    await createTenant(db, tenantId);
    await upsertAnalyses(
      db,
      analysisTopics.map(({ analysis, resultSchema }) => ({ name: analysis ?? '', resultSchema: resultSchema ?? '' })),
    );
    const objectStoreDir = mkdtempSync(join(tmpdir(), 'anabranch-'));
    const registry = createSchemaRegistry({ config: kafka });
    const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
    const producer = createEventProducer({ config: kafka, registry, metrics: new Registry(), log });
    const settings = { kafkaBrokers: testAddress('kafka'), registryUrl, postgresUrl: url, objectStoreDir };
    const installation = new Installation(kafka, admin, producer, db, createObjectStore({ objectStoreDir }), settings);
    await installation.readEnriched(registry);
    installation.closers.push(
      () => producer.stop(),
      () => db.close(),
      () => drop(),
      () => rmSync(objectStoreDir, { recursive: true }),
      () => admin.deleteTopics(Object.keys(topics)),
      () => admin.close(),
    );
    return installation;
  }

  /** A collector in this process; several may run side by side. */
  async startCollector(): Promise<RunningCollector> {
    const definition = collectionService({ topicPrefix: this.kafka.topicPrefix ?? '' });
    const closing: { close: () => unknown; order: number }[] = [];
    const health = new Map<string, () => { ready: boolean }>();
    const metrics = new Registry();
    const context = {
      name: 'collection',
      instance: String(this.startedCollectors++),
      drainMs: 4_000,
      config: definition.config.parse(this.settings),
      log: this.log,
      metrics,
      health: { register: (name: string, check: () => { ready: boolean }) => health.set(name, check) },
      signal: new AbortController().signal,
      isRemoved: () => false,
      onClose: (close: () => unknown, { order = 0 } = {}) => closing.push({ close, order }),
      fail: (error: unknown) => this.failures.push(error),
    } as unknown as ServiceContext<typeof definition.config._output>;
    const { module, transports = [] } = await definition.create(context);
    const app = await NestFactory.createMicroservice(module, { strategy: transports[0], logger: false });
    await app.listen();
    const close = async (): Promise<void> => {
      await app.close();
      for (const step of closing.toSorted((a, b) => a.order - b.order)) await step.close();
    };
    return { metrics, health, close };
  }

  async publishDocument(event: Ingested, headers: Record<string, string> = {}): Promise<void> {
    await this.producer.publish('document.ingested', event, { headers });
  }

  async publishOutcome(
    analysis: string,
    event: Ingested,
    given: Partial<AnalysisFinished> & { status?: 'DONE' | 'REFUSED' | 'FAILED' } = {},
  ) {
    const { status = 'DONE', ...rest } = given;
    const finished = {
      ...analysisFinished(analysis, event, { status, run: rest.run ?? 1 }),
      textSha256: event.textSha256,
      ...rest,
    };
    await this.producer.publish(analysisTopic(analysis), finished as never);
  }

  /** One done outcome for each analysis, in the given order. */
  async publishOutcomes(event: Ingested, names: readonly string[] = analyses): Promise<void> {
    for (const analysis of names) await this.publishOutcome(analysis, event);
  }

  enrichedOf({ documentId }: { documentId: string }): Enriched[] {
    return this.enriched.filter(({ event }) => event.documentId === documentId);
  }

  /** Records on `dead-letters`, counted by the broker. */
  async deadLetters(): Promise<number> {
    const ends = await this.admin.endOffsets('dead-letters');
    return ends.reduce((sum, { high }) => sum + high, 0);
  }

  async close(): Promise<void> {
    for (const close of this.closers) await close();
  }

  private async readEnriched(registry: ReturnType<typeof createSchemaRegistry>): Promise<void> {
    const reader = createConsumer({
      config: this.kafka,
      group: `${this.kafka.topicPrefix}reader`,
      topics: {
        'document.enriched': {
          handler: (record) => {
            this.enriched.push(record as Enriched);
            return Promise.resolve();
          },
        },
      },
      registry,
      producer: this.producer,
      onFatal: (error) => this.failures.push(error),
      metrics: new Registry(),
      log: this.log,
    });
    await reader.start();
    this.closers.push(() => reader.stop(2_000));
  }
}
