import { randomUUID } from 'node:crypto';
import type { KafkaConfig } from '../../src/index.js';

/** The addresses of the test stack. A spec that needs them fails without them. */
function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set: run this spec by \`npm test\`.`);
  return value;
}

/** A configuration whose topics and subjects nobody else uses. */
export function uniqueConfig(): KafkaConfig {
  return {
    brokers: [required('ANABRANCH_TEST_KAFKA')],
    registryUrl: required('ANABRANCH_TEST_REGISTRY'),
    clientId: 'kafka-spec',
    topicPrefix: `spec-${randomUUID().slice(0, 8)}.`,
  };
}
