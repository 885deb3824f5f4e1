// Kafka, the schema registry and PostgreSQL, as the launcher and the tests start them.
import { kafkaAddress, kafkaProcess } from './kafka.mjs';
import { postgres } from './postgres.mjs';
import { registryProcess, registryUrl } from './registry.mjs';

/**
 * @typedef {object} InfraContext
 * @property {import('../settings.mjs').Settings} settings
 * @property {import('../state.mjs').StatePaths} paths
 * @property {import('../setup/java.mjs').Java} java
 */

/**
 * @typedef {object} Addresses
 * @property {string} kafka
 * @property {string} registry
 * @property {string} postgres the platform's database, as its owner
 * @property {string} postgresAdmin as superuser
 */

/**
 * @param {InfraContext} context
 * @returns {{ processes: import('../run/supervised.mjs').ProcessSpec[], addresses: Addresses }}
 */
export function infrastructure(context) {
  const database = postgres(context);
  return {
    processes: [registryProcess(context), kafkaProcess(context), database.process],
    addresses: {
      kafka: kafkaAddress(context.settings),
      registry: registryUrl(context.settings),
      postgres: database.url,
      postgresAdmin: database.adminUrl,
    },
  };
}
