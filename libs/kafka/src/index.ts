export type { RecordHeader, StopOptions } from './broker-port.js';
export { createAdmin, type KafkaAdmin } from './admin/create-admin.js';
export type { CommittedOffset, EndOffset, EnsuredTopics, TopicDescription } from './admin/broker-admin.js';
export type { RegisteredSchema } from './admin/registry-admin.js';
export { inBatches, type BatchOptions, type RecordsHandler } from './consumer/record-batches.js';
export type { ConsumerHealth } from './consumer/consumer-view.js';
export type { Launch } from './consumer/launch.js';
export type { ConsumerSettings } from './consumer/consumer-settings.js';
export type { Priority } from './consumer/turns.js';
export {
  joinSubscriptions,
  subscribeEach,
  type EventAt,
  type Lane,
  type Subscription,
  type Subscriptions,
} from './consumer/subscriptions.js';
export { createConsumer, type Consumer, type ConsumerOptions } from './create-consumer.js';
export { createEventProducer, type EventProducerOptions } from './create-event-producer.js';
export {
  headerText,
  type Deferral,
  type HandlerContext,
  type IncomingRecord,
  type RecordHandler,
  type SettledFailure,
} from './incoming-record.js';
export type { KafkaConfig } from './kafka-config.js';
export type { Logger } from './logger.js';
export type { EventProducer, PublishOptions, RawRecord } from './producer/event-producer.js';
export type { Span, SpanAttributes, SpanStart, Tracer } from './tracing.js';
export { traceHeaders } from './telemetry-names.js';
export { createSchemaRegistry, type SchemaRegistry, type SchemaRegistryOptions } from './registry/schema-registry.js';
