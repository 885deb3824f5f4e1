import { analysisTopics, type AnalysisTopic } from '@anabranch/contracts';
import { createDatabase } from '@anabranch/database';
import type { Relay } from '@anabranch/database/outbox';
import { createEventProducer, createSchemaRegistry, type EventProducerOptions } from '@anabranch/kafka';
import { consumerSettingsOf } from '@anabranch/kafka/config';
import { KafkaStrategy } from '@anabranch/kafka/nest';
import { createObjectStore } from '@anabranch/object-store';
import { closeOrder, defineService, type ServiceContext, type ServiceModule } from '@anabranch/service-host';
import { createCollectionMetrics } from './collection-metrics.js';
import { collectionConfig, type CollectionConfig } from './collection.config.js';
import { CollectionModule } from './collection.module.js';
import { createCollector } from './collector.js';
import { createCommandRelay } from './command-relay.js';
import { createEnrichedRelay } from './enriched-relay.js';
import { startTimers } from './timers.js';

type Context = ServiceContext<CollectionConfig>;
type Consumed = 'document.ingested' | AnalysisTopic;

export interface CollectionOptions {
  /** Stands before topics, subjects and the group: several installations share one cluster. */
  topicPrefix?: string;
}

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
  startTimers(context, db, { kafka, group, metrics: counted });
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
    isRemoved: () => context.isRemoved(),
  });
  health.register('consumer', () => strategy.health());
  health.register('progress', () => strategy.progress(), { live: true });
  return strategy;
}
