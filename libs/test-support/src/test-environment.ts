import { randomBytes } from 'node:crypto';

/** The dependencies that `npm test` started, by the variable that names their address. */
const variables = {
  kafka: 'ANABRANCH_TEST_KAFKA',
  registry: 'ANABRANCH_TEST_REGISTRY',
  postgres: 'ANABRANCH_TEST_POSTGRES',
  brokers: 'ANABRANCH_TEST_BROKERS',
} as const;

export type TestDependency = keyof typeof variables;

/**
 * The address of a real dependency: Kafka's brokers as a comma list, the registry's URL, an administrator's postgres://
 * URL, and the URL that gives out brokers of one's own, which may be taken down.
 * Throws when it is missing, so that a spec that cannot run fails instead of being skipped.
 */
export function testAddress(dependency: TestDependency): string {
  const address = process.env[variables[dependency]];
  if (address) return address;
  throw new Error(`${variables[dependency]} is not set: run this spec with npm test, which starts the dependencies`);
}

/** A name for a topic, consumer group, database or folder that no other spec, or earlier run, uses. */
export function uniqueName(prefix: string): string {
  return `${prefix}-${randomBytes(5).toString('hex')}`;
}
