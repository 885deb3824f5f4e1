import type { EventOf, EventTopic } from '@anabranch/contracts';
import { UseFilters } from '@nestjs/common';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import type { HandlerContext, IncomingRecord } from '../incoming-record.js';
import { RethrowFilter } from './rethrow-filter.js';

/** The second parameter of a handler: the record as it came, and what a handler needs to end in time. */
export interface RecordContext<E = unknown> extends HandlerContext {
  readonly record: IncomingRecord<E>;
}

type EventHandler<T extends EventTopic> = (event: EventOf[T], context: RecordContext<EventOf[T]>) => Promise<void>;

/** Accepts methods that can handle the topic's events; they may leave the context out. */
type EventMethodDecorator<T extends EventTopic> = <Method extends EventHandler<T>>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Marks the method that handles a topic's events: `(event, context: RecordContext) => Promise<void>`. The record is
 * finished when the promise resolves; what it throws reaches the runtime as it is.
 */
export function OnEvent<T extends EventTopic>(topic: T): EventMethodDecorator<T> {
  return (target, name, method) => {
    // Nest gives a handler the event only, unless its parameters are marked.
    Payload()(target, name, 0);
    Ctx()(target, name, 1);
    UseFilters(RethrowFilter)(target, name, method);
    (EventPattern(topic) as MethodDecorator)(target, name, method);
  };
}
