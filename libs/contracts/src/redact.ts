import { recordOf, sensitivity } from './generated/sensitivity.generated.js';
import type { EventTopic } from './generated/topics.generated.js';

/** Who may see a field: anybody, the operators of the platform, the tenant, or named people of the tenant. */
export type FieldSensitivity = 'public' | 'internal' | 'confidential' | 'restricted';

/** The fields of a record, and the record that a field holds (alone, in a list, in a map or as an option). */
export type RecordSensitivity = Readonly<
  Record<string, { readonly level: FieldSensitivity; readonly record?: string }>
>;

/**
 * What of an event may stand in logs, spans and views of operators: its public and internal fields. A field that is hidden
 * hides all within it; a field that the schema does not know is hidden. This is the one way for an event into a log.
 */
export function redact(topic: EventTopic, event: object): Record<string, unknown> {
  return redactRecord(recordOf[topic], event);
}

function redactRecord(record: string, value: object): Record<string, unknown> {
  const fields = sensitivity[record] ?? {};
  const visible = Object.entries(value).filter(([name]) =>
    isVisible(Object.hasOwn(fields, name) ? fields[name]?.level : undefined),
  );
  return Object.fromEntries(visible.map(([name, inner]) => [name, redactValue(fields[name]?.record, inner)]));
}

const isVisible = (level: FieldSensitivity | undefined): boolean => level === 'public' || level === 'internal';

function redactValue(record: string | undefined, value: unknown): unknown {
  if (record === undefined || value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => redactValue(record, item));
  return redactRecord(record, value);
}
