import {
  createDecoder,
  keyWithin,
  readHeader,
  topics,
  type Decoder,
  type EventOf,
  type EventTopic,
} from '@anabranch/contracts';
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
  /** How its values are read; needed for a topic that is not among the contracts. */
  readonly decoder?: Decoder<E>;
}

/** What is in a topic's records; what a decoder says, for a topic that is not among the contracts. */
export type EventAt<T extends string> = T extends EventTopic ? EventOf[T] : unknown;

type SubscriptionTo<T extends string> = T extends EventTopic
  ? Subscription<EventOf[T]>
  : Subscription<unknown> & { readonly decoder: Decoder<unknown> };

/** One handler per topic. */
export type Subscriptions<T extends string> = { readonly [K in T]: SubscriptionTo<K> };

/** What the runtime needs to know about the topics, by their names at the broker. */
export interface SubscribedTopics {
  readonly decode: DecodeRecord;
  readonly handlerOf: (name: string) => RecordHandler<unknown>;
  /** Those that are consumed now. */
  readonly names: readonly string[];
  /** How many of a topic's records may be in flight; infinite for those that are not limited. */
  readonly limits: ReadonlyMap<string, number>;
  /**
   * Consumes these instead of those before; what was queued of the others keeps its handlers.
   * @throws StopService, and changes nothing, when one of them cannot be read or its limit is none
   */
  change(subscriptions: Subscriptions<string>): void;
}

interface BoundTopic {
  /** Stands before the keys of its records: order is kept per topic. */
  readonly keyPrefix: string;
  readonly decoder: Decoder<unknown>;
  readonly handler: RecordHandler<unknown>;
  readonly orderKey: (event: unknown) => string;
  readonly laneOf: (event: unknown) => Lane;
  readonly maxInFlight: number;
}

/**
 * Binds subscriptions to the schemas of their topics.
 * @throws StopService when one of them cannot be read or its limit is none
 */
export function bindSubscriptions(
  subscriptions: Subscriptions<string>,
  registry: Pick<SchemaRegistry, 'cachedWriterSchema' | 'writerSchema'>,
  nameOf: (topic: string) => string,
): SubscribedTopics {
  const known = new Map<string, BoundTopic>();
  let current = new Map<string, BoundTopic>();

  function change(changed: Subscriptions<string>): void {
    current = new Map(
      Object.entries(changed).map(([topic, subscription]) => {
        const name = nameOf(topic);
        return [name, { keyPrefix: `${name}/`, ...bind(topic, subscription) }];
      }),
    );
    for (const [name, topic] of current) known.set(name, topic);
  }

  function topicOf(name: string): BoundTopic {
    const topic = known.get(name);
    if (topic === undefined) throw new Error(`Nothing subscribes to ${name}.`);
    return topic;
  }

  function decode(record: BrokerRecord): ReturnType<DecodeRecord> {
    if (record.value === null) throw new PoisonMessage('TOMBSTONE', 'The record has no value.');
    const { schemaId, body } = readHeader(record.value);
    const writerSchema = registry.cachedWriterSchema(schemaId);
    if (writerSchema === undefined) return registry.writerSchema(schemaId);
    const { keyPrefix, decoder, orderKey, laneOf } = topicOf(record.topic);
    const event = decoder.decode(schemaId, writerSchema, body);
    const { tenant, priority } = laneOf(event);
    return { event, key: keyPrefix + orderKey(event), tenant, priority };
  }

  change(subscriptions);
  return {
    decode,
    handlerOf: (name) => topicOf(name).handler,
    get names() {
      return [...current.keys()];
    },
    get limits() {
      return new Map([...known].map(([name, { maxInFlight }]) => [name, maxInFlight]));
    },
    change,
  };
}

/**
 * One handler for each of several topics.
 * @throws StopService when a topic is named twice
 */
export function subscribeEach<T extends string>(
  names: readonly T[],
  subscription: SubscriptionTo<T>,
): Subscriptions<T> {
  return joinSubscriptions(...names.map((name) => ({ [name]: subscription }) as unknown as Subscriptions<T>));
}

/**
 * Several subscriptions as one.
 * @throws StopService when two of them have the same topic
 */
export function joinSubscriptions<T extends string>(...parts: readonly Partial<Subscriptions<T>>[]): Subscriptions<T> {
  const topicsOfAll = parts.flatMap((part) => Object.keys(part));
  const twice = topicsOfAll.filter((topic, index) => topicsOfAll.indexOf(topic) !== index);
  if (twice.length > 0) throw new StopService(`Two handlers for ${twice.join(' and for ')}: a topic has one.`, asFault);
  return Object.assign({}, ...parts) as Subscriptions<T>;
}

const asFault = { code: 'CONFIGURATION' } as const;

function bind(topic: string, subscription: Subscription<unknown>): Omit<BoundTopic, 'keyPrefix'> {
  const { handler, orderKey = byDocument, laneOf = byFields, maxInFlight = Number.POSITIVE_INFINITY } = subscription;
  if (typeof handler !== 'function') throw new StopService(`The topic ${topic} has no handler.`, asFault);
  if (maxInFlight < 1 || !(Number.isInteger(maxInFlight) || maxInFlight === Number.POSITIVE_INFINITY)) {
    throw new StopService(`maxInFlight (${maxInFlight}) of the topic ${topic} must be at least 1.`, asFault);
  }
  return { decoder: subscription.decoder ?? decoderOf(topic), handler, orderKey, laneOf, maxInFlight };
}

function decoderOf(topic: string): Decoder<unknown> {
  if (isEventTopic(topic)) return createDecoder(topic);
  throw new StopService(
    `There is no contract for the topic ${topic}: give its subscription a decoder, or add a folder of that name to schemas/ and run npm run generate.`,
    asFault,
  );
}

function isEventTopic(topic: string): topic is EventTopic {
  return Object.hasOwn(topics, topic) && topics[topic as EventTopic].versions.length > 0;
}

/** Two tenants may use one document id, and must not wait for each other. Every event of ours has both fields. */
function byDocument(event: unknown): string {
  const { tenantId, documentId } = event as { tenantId: string; documentId: string };
  return keyWithin(tenantId, documentId);
}

function byFields(event: unknown): Lane {
  const { tenantId, priority } = event as { tenantId?: unknown; priority?: unknown };
  return { tenant: typeof tenantId === 'string' ? tenantId : '', priority: isPriority(priority) ? priority : 'NORMAL' };
}

/** What a newer producer may say, and we do not know, is as good as nothing. */
function isPriority(value: unknown): value is Priority {
  return value === 'NORMAL' || value === 'HIGH' || value === 'LOW';
}
