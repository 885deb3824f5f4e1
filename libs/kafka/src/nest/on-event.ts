import type { EventOf, EventTopic } from '@anabranch/contracts';
import { UseFilters } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import type { HandlerContext, IncomingRecord } from '../incoming-record.js';
import { RethrowFilter } from './rethrow-filter.js';

/** The second parameter of a handler: the record as it came, and what a handler needs to end in time. */
export interface RecordContext<E = unknown> extends HandlerContext {
  readonly record: IncomingRecord<E>;
}

type EventHandler<E> = (event: E, context: RecordContext<E>) => Promise<void>;

/** Accepts methods that can handle the events; they may leave the context out. */
type EventMethodDecorator<E> = <Method extends EventHandler<E>>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Marks the method that handles a topic's events: `(event, context: RecordContext) => Promise<void>`. The record is
 * finished when the promise resolves; what it throws reaches the runtime as it is.
 */
export function OnEvent<T extends EventTopic>(topic: T): EventMethodDecorator<EventOf[T]> {
  return markHandler(topic);
}

/**
 * Marks the method that handles the events of all topics of a list, which `KafkaStrategy` knows by this name; the topic is
 * in `context.record`. `E` is what these events have in common.
 */
export function OnTopics<E = unknown>(list: string): EventMethodDecorator<E> {
  return markHandler(patternOfList(list));
}

/** What Nest knows a list by; no topic has such a name. */
export const patternOfList = (list: string): string => `the list ${list}`;

function markHandler<E>(pattern: string): EventMethodDecorator<E> {
  return (target, name, method) => {
    // Nest gives a handler the event only, unless its parameters are marked.
    Payload()(target, name, 0);
    Ctx()(target, name, 1);
    UseFilters(RethrowFilter)(target, name, method);
    (EventPattern(pattern) as MethodDecorator)(target, name, method);
  };
}
