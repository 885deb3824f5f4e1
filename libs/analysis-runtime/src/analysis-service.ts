import { analysisTopic, requestTopic, type RequestTopic } from '@anabranch/contracts';
import type { AnalysisRequested, DocumentIngested } from '@anabranch/contracts';
import { DependencyUnavailable } from '@anabranch/failures';
import { createEventProducer, createSchemaRegistry, type KafkaConfig } from '@anabranch/kafka';
import { consumerConfig, consumerSettingsOf, kafkaConfig, sessionTiming } from '@anabranch/kafka/config';
import { KafkaStrategy, OnEvent } from '@anabranch/kafka/nest';
import type { RecordContext } from '@anabranch/kafka/nest';
import { createObjectStore, objectStoreConfig } from '@anabranch/object-store';
import { closeOrder, type ServiceContext, type ServiceDefinition, type ServiceModule } from '@anabranch/service-host';
import { Controller, type DynamicModule, Inject, Module, type Type } from '@nestjs/common';
import { z } from 'zod';
import { type AnalysisHandler, createAnalysisHandler } from './analysis-handler.js';
import type { AnyAnalysis } from './define-analysis.js';
import { createAnalysisMetrics } from './metrics.js';
import { withModelSettings } from './model/model-settings.js';
import { openModel } from './model/open-model.js';
import { openRules, withRulesSettings } from './rules/open-rules.js';
import { processWorker } from './worker/analysis-worker.js';

const analysisHandler = Symbol('AnalysisHandler');

@Controller()
class AnalysisController {
  constructor(@Inject(analysisHandler) private readonly handler: AnalysisHandler) {}

  @OnEvent('document.ingested')
  onDocumentIngested(_event: DocumentIngested, { record, ...context }: RecordContext<DocumentIngested>): Promise<void> {
    return this.handler.onDocumentIngested(record, context);
  }
}

/** The controller of an analysis' commands: made from its name, because each has a topic of its own. */
function requestController(topic: RequestTopic): Type {
  @Controller()
  class RequestController {
    constructor(@Inject(analysisHandler) private readonly handler: AnalysisHandler) {}

    @OnEvent(topic)
    onRunRequested(_event: AnalysisRequested, { record, ...context }: RecordContext<AnalysisRequested>): Promise<void> {
      return this.handler.onRunRequested(record, context);
    }
  }
  return RequestController;
}

@Module({ controllers: [AnalysisController] })
class AnalysisModule {
  static with(handler: AnalysisHandler, commands: RequestTopic): DynamicModule {
    const controllers = [requestController(commands)];
    return { module: AnalysisModule, controllers, providers: [{ provide: analysisHandler, useValue: handler }] };
  }
}

const analysisConfig = z.object({ ...kafkaConfig.shape, ...consumerConfig.shape, ...objectStoreConfig.shape });

type AnalysisSettings = z.infer<typeof analysisConfig>;

// Engines compute: more at a time would hold more texts in memory and finish none of them earlier. Enough to fill the
// waits for the store and for acknowledgements.
const maxInFlight = 32;

export interface AnalysisServiceOptions {
  /** Stands before topics, subjects and the group: several installations share one cluster. */
  topicPrefix?: string;
}

/**
 * An analysis as a service: one consumer group on `document.ingested` and `analysis.NAME.requested`, its outcomes on
 * `analysis.NAME.finished`. Its settings are those of Kafka and the object store, of Postgres where it declares rules, of a
 * model and its ledger where it can use one, and the analysis' own.
 */
export function analysisService(definition: AnyAnalysis, options: AnalysisServiceOptions = {}): ServiceDefinition {
  return {
    name: definition.name,
    config: settingsOf(definition),
    create: (context) => connect(definition, context as AnalysisContext, options),
  };
}

function settingsOf(definition: AnyAnalysis): z.ZodObject {
  const own = analysisConfig.extend(definition.config.shape);
  return withModelSettings(withRulesSettings(own, definition), definition).refine(
    (settings) => sessionTiming.isMet(settings as AnalysisSettings),
    sessionTiming.params,
  );
}

type Consumed = 'document.ingested' | RequestTopic;
type AnalysisContext = ServiceContext<AnalysisSettings>;

/** Of all settings, already read, those that the analysis declared. */
const ownSettings = ({ config: { shape } }: AnyAnalysis, settings: object): object =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => key in shape));

async function connect(
  definition: AnyAnalysis,
  context: AnalysisContext,
  options: AnalysisServiceOptions,
): Promise<ServiceModule> {
  const { kafkaBrokers: brokers, registryUrl } = context.config;
  const { topicPrefix = '' } = options;
  const config: KafkaConfig = { brokers, registryUrl, clientId: definition.name, topicPrefix };
  const { log, metrics, drainMs } = context;
  const rules = await openRules(definition, context);
  const registry = createSchemaRegistry({ config });
  const producer = createEventProducer({ config, registry, metrics, log });
  context.onClose(() => producer.stop(), { order: closeOrder.producers, name: 'producer' });
  const analysisMetrics = createAnalysisMetrics(definition.name, metrics);
  const model = await openModel(definition, context, analysisMetrics);
  const handler = createAnalysisHandler(definition, ownSettings(definition, context.config), {
    store: createObjectStore(context.config),
    publish: (topic, event, options) => producer.publish(topic, event, options),
    metrics: analysisMetrics,
    worker: processWorker(),
    rules,
    model: model?.engine ?? null,
    defer: model?.defer ?? null,
    now: Date.now,
    log,
  });
  const commands = requestTopic(definition.name);
  const strategy = new KafkaStrategy<Consumed>({
    config,
    group: `${topicPrefix}anabranch.${definition.name}`,
    topics: { 'document.ingested': {}, [commands]: {} } as Record<Consumed, object>,
    registry,
    producer,
    onSettled: (record, failure) => handler.onSettled(record, failure),
    ...(model !== null && { defer: (record, deferral) => handler.onDeferred(record, deferral) }),
    onFatal: (error) => context.fail(error),
    settings: {
      ...consumerSettingsOf(context.config),
      maxInFlight: model?.maxInFlight ?? maxInFlight,
      instanceId: `${definition.name}-${context.instance}`,
    },
    metrics,
    log,
    drainMs,
    launch: context.launch,
    isRemoved: () => context.isRemoved(),
  });
  context.health.register('consumer', () => strategy.health());
  context.health.register('progress', () => strategy.progress(), { live: true });
  // The consumer waits for its own topics; where outcomes go is asked beside it. A broker that is down is its fault to
  // report, and the first outcome asks again.
  producer.start([analysisTopic(definition.name)]).catch((error: unknown) => {
    if (!(error instanceof DependencyUnavailable)) context.fail(error);
  });
  return { module: AnalysisModule.with(handler, commands), transports: [strategy] };
}
