// Every name that tracing puts on the wire or on a span. The conventions for messaging are still moving: a new version of
// them is a change of this file. https://opentelemetry.io/docs/specs/semconv/messaging/

/** The headers of W3C Trace Context. */
export const traceHeaders = { traceparent: 'traceparent', tracestate: 'tracestate' } as const;

export const spanAttributes = {
  system: 'messaging.system',
  operation: 'messaging.operation.name',
  operationType: 'messaging.operation.type',
  topic: 'messaging.destination.name',
  partition: 'messaging.destination.partition.id',
  offset: 'messaging.kafka.offset',
  group: 'messaging.consumer.group.name',
  queueWaitMs: 'anabranch.queue_wait_ms',
  attempt: 'anabranch.attempt',
  outcome: 'anabranch.outcome',
  errorType: 'error.type',
} as const;
