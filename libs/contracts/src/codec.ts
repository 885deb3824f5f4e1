import { PoisonMessage } from '@anabranch/failures';
import type { Resolver, Type } from 'avsc';
import { boundedAvroType } from './avro-types.js';
import { firstFault } from './first-fault.js';
import type { AnalysisFinishedInput } from './generated/events.generated.js';
import {
  topics,
  type AnalysisTopic,
  type EventOf,
  type EventTopic,
  type InputOf,
} from './generated/topics.generated.js';
import { headerBytes, writeHeader } from './wire.js';

/** What may be encoded for a topic. Code that serves all analyses, and so names none, gives the common shape. */
export type EncodableOf<T extends EventTopic> = InputOf[T] | (AnalysisTopic extends T ? AnalysisFinishedInput : never);

const readerTypes = new Map<EventTopic, Type>();

/** The type of a topic's latest version, made once. */
function typeOf(topic: EventTopic): Type {
  const known = readerTypes.get(topic);
  if (known !== undefined) return known;
  const version = topics[topic].versions.at(-1);
  if (version === undefined) throw new Error(`The topic ${topic} has no schema.`);
  const type = boundedAvroType(version.schema);
  readerTypes.set(topic, type);
  return type;
}

/** Encoding writes here first, since the length is known only afterwards; grows to the largest event. */
let scratch: Buffer = Buffer.allocUnsafe(65_536);

/**
 * The value of a record: wire header and Avro body, in the topic's latest version.
 * @param schemaId the registry's id of that version
 * @throws PoisonMessage INVALID_EVENT that names the field, never its value
 */
export function encodeValue<T extends EventTopic>(topic: T, event: EncodableOf<T>, schemaId: number): Buffer {
  const type = typeOf(topic);
  const end = encodeToScratch(topic, type, event);
  writeHeader(scratch, schemaId);
  return Buffer.from(scratch.subarray(0, end));
}

function encodeToScratch(topic: EventTopic, type: Type, event: unknown): number {
  try {
    const end = type.encode(event, scratch, headerBytes);
    if (end >= 0) return end;
    // A negative answer is the number of missing bytes.
    scratch = Buffer.allocUnsafe(2 * (scratch.length - end));
    return type.encode(event, scratch, headerBytes);
  } catch {
    // Not kept as the cause: avsc quotes the value in its message.
    throw new PoisonMessage('INVALID_EVENT', `The event for ${topic} is not valid: ${firstFault(type, event)}.`);
  }
}

/**
 * A partial event with the defaults of its schema filled in, as a reader would get it.
 * @throws PoisonMessage INVALID_EVENT
 */
export function fillDefaults<T extends EventTopic>(topic: T, partial: EncodableOf<T>): EventOf[T] {
  const type = typeOf(topic);
  const end = encodeToScratch(topic, type, partial);
  return type.fromBuffer(scratch.subarray(headerBytes, end)) as EventOf[T];
}

export interface Decoder<Event> {
  /**
   * Decodes a body that was written with `writerSchema` into the topic's latest version.
   * @param schemaId the registry's id of the writer's schema; its resolver is made once
   * @throws PoisonMessage DECODE_FAILED
   */
  decode(schemaId: number, writerSchema: object | string, body: Buffer): Event;
}

/** More writer schemas than a topic ever has; beyond it the cache starts anew, so that it stays bounded. */
const maxResolvers = 1_000;

/** A decoder for one topic, with one resolver per writer's schema id, those that cannot be read included. */
export function createDecoder<T extends EventTopic>(topic: T): Decoder<EventOf[T]> {
  const type = typeOf(topic);
  const resolvers = new Map<number, Resolver | Error>();

  function resolverFor(schemaId: number, writerSchema: object | string): Resolver {
    let resolver = resolvers.get(schemaId);
    if (resolver === undefined) {
      if (resolvers.size >= maxResolvers) resolvers.clear();
      resolver = createResolver(type, writerSchema);
      resolvers.set(schemaId, resolver);
    }
    if (!(resolver instanceof Error)) return resolver;
    const message = `Schema ${schemaId} cannot be read as ${type.name ?? topic}: ${resolver.message}.`;
    throw new PoisonMessage('DECODE_FAILED', message, { cause: resolver });
  }

  return {
    decode(schemaId, writerSchema, body) {
      const resolver = resolverFor(schemaId, writerSchema);
      try {
        return type.fromBuffer(body, resolver) as EventOf[T];
      } catch (cause) {
        throw new PoisonMessage('DECODE_FAILED', `The body is not a ${type.name ?? topic}: ${reasonOf(cause)}.`, {
          cause,
        });
      }
    },
  };
}

function createResolver(type: Type, writerSchema: object | string): Resolver | Error {
  try {
    return type.createResolver(boundedAvroType(writerSchema));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'it cannot be read');
