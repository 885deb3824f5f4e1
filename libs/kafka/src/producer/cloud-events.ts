import type { RecordHeader } from '../broker-port.js';

/** The fields of an event that CloudEvents wants outside of it. */
export interface CloudEventSource {
  readonly eventId: string;
  readonly occurredAt: number;
}

/**
 * The headers that make a record a CloudEvent in Kafka's binary mode.
 * @see https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/kafka-protocol-binding.md
 */
export function cloudEventHeaders(
  topic: string,
  source: string,
  { eventId, occurredAt }: CloudEventSource,
): RecordHeader[] {
  const headers: Record<string, string> = {
    ce_specversion: '1.0',
    ce_id: eventId,
    ce_type: topic,
    ce_source: `/anabranch/${source}`,
    ce_time: new Date(occurredAt).toISOString(),
    'content-type': 'application/avro',
  };
  return Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)] as const);
}
