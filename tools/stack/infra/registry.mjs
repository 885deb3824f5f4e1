import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { answersOk, waitFor } from '../run/wait.mjs';
import { artifactFolders } from '../setup/artifacts.mjs';
import { spawnJava } from './jvm.mjs';

/**
 * The part of Apicurio that speaks Confluent's protocol, which every Kafka client knows.
 * @param {import('../settings.mjs').Settings} settings
 */
export function registryUrl({ ports }) {
  return `http://127.0.0.1:${ports.registry}/apis/ccompat/v7`;
}

/**
 * Storage is a database file of its own, so that registry and PostgreSQL start side by side and fail alone.
 * @param {import('./infra.mjs').InfraContext} context
 * @returns {import('../run/supervised.mjs').ProcessSpec}
 */
export function registryProcess({ settings, paths, java }) {
  const folder = artifactFolders(settings.cacheDir).registry;
  const healthUrl = `http://127.0.0.1:${settings.ports.registryManagement}/health/ready`;
  return {
    name: 'registry',
    stopTimeoutMs: 30_000,
    async prepare() {
      mkdirSync(paths.registry, { recursive: true });
    },
    spawn: () =>
      spawnJava({
        java,
        folder,
        workFolder: paths.registry,
        heapMegabytes: 256,
        args: [...registryProperties(settings.ports, paths.registry), '-jar', join(folder, 'quarkus-run.jar')],
        cwd: paths.registry,
        env: settings.environment,
      }),
    ready: (_child, signal) =>
      waitFor(
        async () =>
          (await answersOk(healthUrl)) && (await answersOk(`${registryUrl(settings)}/subjects`)) ? {} : null,
        {
          signal,
          timeoutMs: 60_000,
          what: 'the schema registry, to become healthy,',
        },
      ),
  };
}

/**
 * @param {Record<string, number>} ports
 * @param {string} stateFolder
 */
function registryProperties(ports, stateFolder) {
  const properties = {
    'quarkus.http.host': '127.0.0.1',
    'quarkus.http.port': ports.registry,
    'quarkus.management.host': '127.0.0.1',
    'quarkus.management.port': ports.registryManagement,
    'quarkus.http.access-log.enabled': false,
    'quarkus.log.level': 'WARN',
    // Apicurio's own default is to accept everything. Each subject gets its rule from its topic.json.
    'apicurio.rules.global.compatibility': 'BACKWARD',
    'apicurio.datasource.url': `jdbc:h2:file:${join(stateFolder, 'h2', 'registry')}`,
    'apicurio.datasource.jdbc.initial-size': 2,
    'apicurio.datasource.jdbc.min-size': 2,
    'apicurio.datasource.jdbc.max-size': 10,
  };
  return Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
}
