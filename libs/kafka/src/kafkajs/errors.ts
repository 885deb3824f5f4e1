import { DependencyUnavailable } from '@anabranch/failures';

/** The names of kafkajs' errors that say nothing about a record, only that the broker was not reached or gave no answer. */
const unavailable = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSNumberOfRetriesExceeded',
  'KafkaJSBrokerNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
  'KafkaJSTimeout',
]);

/** What kafkajs throws as a plain error, and so does not retry, after a connection was cut. */
const brokenConnection = 'Broker not connected';

/** When no broker could be asked for metadata, kafkajs goes on with null as the answer, and trips over it. */
const noAnswer = /\bnull\b/;

/** Whether the broker said that it does not have the topic, also when kafkajs has wrapped its answer. */
export function isMissingTopic(error: unknown): boolean {
  return causesOf(error).some((cause) => 'type' in cause && cause.type === 'UNKNOWN_TOPIC_OR_PARTITION');
}

/** Whether the broker is configured to take less metadata with an offset than it got. */
export function isMetadataTooLarge(error: unknown): boolean {
  return causesOf(error).some((cause) => 'type' in cause && cause.type === 'OFFSET_METADATA_TOO_LARGE');
}

/** The same error as the failure that it is: an outage, or what it was. */
export function asUnavailable(error: unknown): unknown {
  const outage = causesOf(error).find(isOutage);
  if (outage === undefined) return error;
  return new DependencyUnavailable('kafka', `Kafka: ${outage.message}`, { cause: error });
}

/** The same error, marked as one that another try may mend if it comes from an outage. */
export function retriableAfterOutage(error: Error): Error {
  const causes = causesOf(error);
  // kafkajs looks at the innermost cause.
  if (causes.some(isOutage)) Object.assign(causes.at(-1) as Error, { retriable: true });
  return error;
}

function isOutage(error: Error): boolean {
  const { name, message } = error;
  return (
    unavailable.has(name) || message === brokenConnection || (error instanceof TypeError && noAnswer.test(message))
  );
}

function causesOf(error: unknown): Error[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : [];
}
