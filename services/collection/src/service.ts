import { analysisTopics, type AnalysisTopic } from '@anabranch/contracts';
import { createDatabase, type Database } from '@anabranch/database';
import { overdueJobs, passDeadlines, type SettledJob } from '@anabranch/database/jobs';
import type { Relay } from '@anabranch/database/outbox';
import {
  consumerSettingsOf,
  createAdmin,
  createEventProducer,
  createSchemaRegistry,
  KafkaStrategy,
  type EventProducerOptions,
  type KafkaConfig,
} from '@anabranch/kafka';
import { createObjectStore } from '@anabranch/object-store';
import { closeOrder, defineService, type ServiceContext, type ServiceModule } from '@anabranch/service-host';
import { createCollectionMetrics } from './collection-metrics.js';
import { collectionConfig, type CollectionConfig } from './collection.config.js';
import { CollectionModule } from './collection.module.js';
import { createCollector } from './collector.js';
import { createCommandRelay } from './command-relay.js';
import { Deadlines } from './deadlines.js';
import { createEnrichedRelay } from './enriched-relay.js';
import { repeat } from './repeat.js';

type Context = ServiceContext<CollectionConfig>;
type Consumed = 'document.ingested' | AnalysisTopic;

export interface CollectionOptions {
  /** Stands before topics, subjects and the group: several installations share one cluster. */
  topicPrefix?: string;
}

/** How often jobs are looked for whose deadline has passed. */
const deadlineCheckMs = 1_000;

/** Joins what the analyses found: opens jobs, records outcomes, settles, and publishes `document.enriched`. */
export const service = collectionService();

/** The service, for an installation that shares its cluster with others. */
export function collectionService(options: CollectionOptions = {}) {
  return defineService({
    name: 'collection',
    config: collectionConfig,
    create: (context: Context) => create(context, options),
  });
}

async function create(context: Context, { topicPrefix = '' }: CollectionOptions): Promise<ServiceModule> {
  const { config, name, log, metrics, signal, onClose } = context;
  const db = await createDatabase(config, { name: `anabranch ${name}`, signal, log });
  onClose(() => db.close(), { order: closeOrder.stores, name: 'database' });
  const kafka = { brokers: config.kafkaBrokers, registryUrl: config.registryUrl, clientId: name, topicPrefix };
  const options = { config: kafka, registry: createSchemaRegistry({ config: kafka }), metrics, log };
  startRelay(context, 'relay of document.enriched', createEnrichedRelay(db, options));
  startRelay(context, 'relay of commands', createCommandRelay(db, options));
  const counted = createCollectionMetrics(metrics);
  const collector = createCollector({ db, metrics: counted, log });
  const group = `${topicPrefix}anabranch.${name}`;
  startDeadlines(context, db, { kafka, group, onSettled: counted.settled });
  const store = createObjectStore(config);
  return {
    module: CollectionModule.over(collector, {
      store,
      defaultDeadlineMs: config.defaultDeadlineMs,
      graceMs: config.supersessionGraceMs ?? null,
    }),
    transports: [createStrategy(context, options, group)],
  };
}

interface DeadlineOptions {
  kafka: KafkaConfig;
  group: string;
  onSettled(job: SettledJob): void;
}

/** Settles jobs whose time is up. */
function startDeadlines({ log, onClose }: Context, db: Database, { kafka, group, onSettled }: DeadlineOptions): void {
  const admin = createAdmin(kafka);
  const names = analysisTopics.map(({ name }) => name);
  const deadlines = new Deadlines({
    overdue: (known, limit) => overdueJobs(db, { known, limit }),
    pass: (jobs) => passDeadlines(db, jobs),
    ends: async () => (await Promise.all(names.map((topic) => admin.endOffsets(topic)))).flat(),
    committed: () => admin.committedOffsets(group, names),
    now: Date.now,
  });
  const check = async (): Promise<void> => (await deadlines.check()).forEach(onSettled);
  const repeated = repeat(check, { everyMs: deadlineCheckMs, log, name: 'deadlines' });
  onClose(
    async () => {
      await repeated.stop();
      await admin.close();
    },
    { order: closeOrder.relays, name: 'deadlines' },
  );
}

function startRelay({ health, onClose }: Context, name: string, relay: Relay): void {
  health.register(name, () => relay.health());
  onClose(() => relay.stop(), { order: closeOrder.relays, name });
  relay.start();
}

function createStrategy(context: Context, options: EventProducerOptions, group: string): KafkaStrategy<Consumed> {
  const { health, onClose, drainMs, launch, fail } = context;
  // One process has all of a document's topics, so that its facts meet in one transaction where they can.
  const own = { instanceId: `${context.name}-${context.instance}`, coPartitioned: true };
  const settings = { ...consumerSettingsOf(context.config), ...own };
  // Carries dead letters only; what the relay publishes with belongs to the relay.
  const producer = createEventProducer(options);
  onClose(() => producer.stop(), { order: closeOrder.producers, name: 'producer of dead letters' });
  const topics = Object.fromEntries([['document.ingested', {}], ...analysisTopics.map(({ name }) => [name, {}])]);
  const strategy = new KafkaStrategy<Consumed>({
    ...options,
    group,
    topics,
    producer,
    settings,
    onFatal: fail,
    drainMs,
    launch,
  });
  health.register('consumer', () => strategy.health());
  health.register('progress', () => strategy.progress(), { live: true });
  return strategy;
}
