import { createDecoder, readHeader, type Decoder, type EventOf, type EventTopic } from '@anabranch/contracts';
import { PoisonMessage } from '@anabranch/failures';
import type { BrokerRecord } from '../broker-port.js';
import type { RecordHandler } from '../incoming-record.js';
import type { SchemaRegistry } from '../registry/schema-registry.js';
import type { DecodeRecord } from './intake.js';

/** How one topic is consumed. */
export interface Subscription<E> {
  readonly handler: RecordHandler<E>;
  /** What a record's order is kept by; its tenant and document unless given. */
  readonly orderKey?: (event: E) => string;
}

/** One handler per topic. */
export type Subscriptions<T extends EventTopic> = { readonly [K in T]: Subscription<EventOf[K]> };

/** What the runtime needs to know about the topics, by their names at the broker. */
export interface SubscribedTopics {
  readonly names: readonly string[];
  readonly decode: DecodeRecord;
  readonly handlerOf: (name: string) => RecordHandler<unknown>;
}

interface SubscribedTopic {
  readonly decoder: Decoder<unknown>;
  readonly handler: RecordHandler<unknown>;
  readonly orderKey: (event: unknown) => string;
}

/** Binds subscriptions to the schemas of their topics. */
export function bindSubscriptions<T extends EventTopic>(
  subscriptions: Subscriptions<T>,
  registry: Pick<SchemaRegistry, 'cachedWriterSchema' | 'writerSchema'>,
  nameOf: (topic: string) => string,
): SubscribedTopics {
  const byName = new Map<string, SubscribedTopic>();
  for (const topic of Object.keys(subscriptions) as T[]) {
    const { handler, orderKey = byDocument } = subscriptions[topic] as Subscription<unknown>;
    byName.set(nameOf(topic), { decoder: createDecoder(topic), handler, orderKey });
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
    const { decoder, orderKey } = topicOf(record.topic);
    const event = decoder.decode(schemaId, writerSchema, body);
    return { event, key: `${record.topic}/${orderKey(event)}` };
  }

  return { names: [...byName.keys()], decode, handlerOf: (name) => topicOf(name).handler };
}

/** Two tenants may use one document id, and must not wait for each other. Every event of ours has both fields. */
function byDocument(event: unknown): string {
  const { tenantId, documentId } = event as { tenantId: string; documentId: string };
  // Length-prefixed, so that no choice of ids can make two documents one.
  return `${tenantId.length}:${tenantId}${documentId}`;
}
