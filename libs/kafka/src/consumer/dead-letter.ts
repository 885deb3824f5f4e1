import type { BrokerRecord, RecordHeader } from '../broker-port.js';
import type { Verdict } from './work.js';

/** The one topic for all groups. */
export const deadLetterTopic = 'dead-letters';

const maxMessageLength = 500;

/**
 * The headers of a dead letter: those of the record, untouched, then why it is here. The names that begin with
 * `__connect.errors` are Kafka Connect's, because most tools know those; where a name repeats, the last counts.
 * @see https://cwiki.apache.org/confluence/display/KAFKA/KIP-298%3A+Error+Handling+in+Connect
 */
export function deadLetterHeaders(record: BrokerRecord, group: string, { stage, failure }: Verdict): RecordHeader[] {
  const { code, message, error, attempts, firstFailedAt, lastFailedAt } = failure;
  const reasons: Record<string, string> = {
    '__connect.errors.topic': record.topic,
    '__connect.errors.partition': String(record.partition),
    '__connect.errors.offset': String(record.offset),
    '__connect.errors.connector.name': group,
    '__connect.errors.stage': stage,
    '__connect.errors.class.name': stage === 'VALUE_CONVERTER' ? 'decoder' : 'handler',
    '__connect.errors.exception.class.name': error instanceof Error ? error.name : typeof error,
    '__connect.errors.exception.message': message.slice(0, maxMessageLength),
    'anabranch-attempts': String(attempts),
    'anabranch-first-failed-at': new Date(firstFailedAt).toISOString(),
    'anabranch-last-failed-at': new Date(lastFailedAt).toISOString(),
    'anabranch-failure-code': code,
  };
  return [...record.headers, ...Object.entries(reasons).map(([name, text]) => [name, Buffer.from(text)] as const)];
}
