import { createDecoder, readHeader, type Decoder, type EventOf, type EventTopic } from '@anabranch/contracts';
import { PoisonMessage, StopService } from '@anabranch/failures';
import type { BrokerRecord } from '../broker-port.js';
import type { RecordHandler } from '../incoming-record.js';
import type { SchemaRegistry } from '../registry/schema-registry.js';
import type { DecodeRecord } from './intake.js';
import type { Priority } from './turns.js';

/** Whose turn a record waits for, and how it stands among that tenant's records. */
export interface Lane {
  readonly tenant: string;
  readonly priority: Priority;
}

/** How one topic is consumed. */
export interface Subscription<E> {
  readonly handler: RecordHandler<E>;
  /** What a record's order is kept by; its tenant and document unless given. */
  readonly orderKey?: (event: E) => string;
  /** Tenants take turns in each partition. The event's `tenantId` and `priority`, where it has them, unless given. */
  readonly laneOf?: (event: E) => Lane;
  /** Handlers of this topic that run at a time; no more than the consumer's `maxInFlight` unless given. */
  readonly maxInFlight?: number;
}

/** One handler per topic. */
export type Subscriptions<T extends EventTopic> = { readonly [K in T]: Subscription<EventOf[K]> };

/** What the runtime needs to know about the topics, by their names at the broker. */
export interface SubscribedTopics {
  readonly names: readonly string[];
  readonly decode: DecodeRecord;
  readonly handlerOf: (name: string) => RecordHandler<unknown>;
  /** How many of a topic's records may be in flight, for topics that are limited. */
  readonly limits: ReadonlyMap<string, number>;
}

interface SubscribedTopic {
  readonly decoder: Decoder<unknown>;
  readonly handler: RecordHandler<unknown>;
  readonly orderKey: (event: unknown) => string;
  readonly laneOf: (event: unknown) => Lane;
}

/**
 * Binds subscriptions to the schemas of their topics.
 * @throws StopService when a limit is none
 */
export function bindSubscriptions<T extends EventTopic>(
  subscriptions: Subscriptions<T>,
  registry: Pick<SchemaRegistry, 'cachedWriterSchema' | 'writerSchema'>,
  nameOf: (topic: string) => string,
): SubscribedTopics {
  const byName = new Map<string, SubscribedTopic>();
  const limits = new Map<string, number>();
  for (const topic of Object.keys(subscriptions) as T[]) {
    const subscription = subscriptions[topic] as Subscription<unknown>;
    const { handler, orderKey = byDocument, laneOf = byFields, maxInFlight } = subscription;
    byName.set(nameOf(topic), { decoder: createDecoder(topic), handler, orderKey, laneOf });
    if (maxInFlight !== undefined) limits.set(nameOf(topic), checkedLimit(topic, maxInFlight));
  }

  function topicOf(name: string): SubscribedTopic {
    const topic = byName.get(name);
    if (topic === undefined) throw new Error(`Nothing subscribes to ${name}.`);
    return topic;
  }

  function decode(record: BrokerRecord): ReturnType<DecodeRecord> {
    if (record.value === null) throw new PoisonMessage('TOMBSTONE', 'The record has no value.');
    const { schemaId, body } = readHeader(record.value);
    const writerSchema = registry.cachedWriterSchema(schemaId);
    if (writerSchema === undefined) return registry.writerSchema(schemaId);
    const { decoder, orderKey, laneOf } = topicOf(record.topic);
    const event = decoder.decode(schemaId, writerSchema, body);
    const { tenant, priority } = laneOf(event);
    return { event, key: `${record.topic}/${orderKey(event)}`, tenant, priority };
  }

  return { names: [...byName.keys()], decode, handlerOf: (name) => topicOf(name).handler, limits };
}

/** Two tenants may use one document id, and must not wait for each other. Every event of ours has both fields. */
function byDocument(event: unknown): string {
  const { tenantId, documentId } = event as { tenantId: string; documentId: string };
  // Length-prefixed, so that no choice of ids can make two documents one.
  return `${tenantId.length}:${tenantId}${documentId}`;
}

function byFields(event: unknown): Lane {
  const { tenantId, priority } = event as { tenantId?: unknown; priority?: unknown };
  return { tenant: typeof tenantId === 'string' ? tenantId : '', priority: isPriority(priority) ? priority : 'NORMAL' };
}

/** What a newer producer may say, and we do not know, is as good as nothing. */
function isPriority(value: unknown): value is Priority {
  return value === 'NORMAL' || value === 'HIGH' || value === 'LOW';
}

function checkedLimit(topic: string, maxInFlight: number): number {
  if (Number.isInteger(maxInFlight) && maxInFlight >= 1) return maxInFlight;
  throw new StopService(`maxInFlight (${maxInFlight}) of the topic ${topic} must be at least 1.`, {
    code: 'CONFIGURATION',
  });
}
