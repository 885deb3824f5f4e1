// The services as processes. They are found by their folders, never listed: a new service needs no line here.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { StackFault } from './fault.mjs';
import { isFile, isFolder, readJson, removeFile } from './files.mjs';
import { spawnWithParentPipe } from './run/spawn.mjs';
import { waitFor } from './run/wait.mjs';

/** The name of the one process that hosts all services in compact mode. */
export const compactName = 'services';

const heapMegabytes = { separate: 256, compact: 768 };

/**
 * @param {string} root
 * @returns {string[]} names of built services
 */
export function discoverServices(root) {
  const folder = join(root, 'services');
  const names = isFolder(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => isFile(join(folder, name, 'dist', 'main.js')) && isFile(join(folder, name, 'package.json')))
    .sort();
}

/**
 * The Node that npm installed; elsewhere than on Linux the user's own.
 * @param {string} root
 */
export function serviceNode(root) {
  const installed = join(root, 'node_modules', '.bin', 'node');
  return isFile(installed) ? installed : process.execPath;
}

/**
 * @typedef {object} ServiceContext
 * @property {import('./settings.mjs').Settings} settings
 * @property {import('./state.mjs').StatePaths} paths
 * @property {import('./infra/infra.mjs').Addresses} addresses
 */

/**
 * @param {ServiceContext} context
 * @param {string} service
 * @param {number} index of several instances, from 0
 * @returns {import('./run/supervised.mjs').ProcessSpec}
 */
export function serviceProcess(context, service, index) {
  const main = join('services', service, 'dist', 'main.js');
  const name = index === 0 ? service : `${service}-${index}`;
  return nodeProcess(context, { name, service, index, heap: heapMegabytes.separate, args: [main] });
}

/**
 * @param {ServiceContext} context
 * @param {string[]} services
 * @returns {import('./run/supervised.mjs').ProcessSpec}
 */
export function compactProcess(context, services) {
  const host = join('libs', 'service-host', 'dist', 'main.js');
  if (!isFile(join(context.settings.root, host)))
    throw new StackFault(`${host} is missing: build it with npm run build`);
  return nodeProcess(context, {
    name: compactName,
    service: compactName,
    index: 0,
    heap: heapMegabytes.compact,
    args: [host, ...services],
  });
}

/** The record of a service's runs, as the containers' launcher keeps it: imported here, since it is there once built. */
async function createLaunches() {
  const { Launches } = await import(new URL('../../libs/service-host/dist/launches.js', import.meta.url).href);
  return new Launches();
}

/** Node's own default. With a quarter of it, which takes 0.1 GB less, a service under load spends a third of its time collecting. */
const youngGeneration = '--max-semi-space-size=16';

/**
 * @param {ServiceContext} context
 * @param {{ name: string, service: string, index: number, heap: number, args: string[] }} program
 * @returns {import('./run/supervised.mjs').ProcessSpec}
 */
function nodeProcess({ settings, paths, addresses }, { name, service, index, heap, args }) {
  const readyFile = join(paths.run, `${name}.json`);
  /** @type {any} */
  let launches = null;
  const options = ['--enable-source-maps', `--max-old-space-size=${heap}`, youngGeneration];
  return {
    name,
    service,
    index,
    async prepare() {
      mkdirSync(paths.run, { recursive: true });
      removeFile(readyFile);
      launches ??= await createLaunches();
    },
    spawn: () =>
      spawnWithParentPipe({
        command: serviceNode(settings.root),
        args: [...options, ...args],
        cwd: settings.root,
        env: {
          ...serviceEnvironment({ settings, paths, addresses }, index),
          ANABRANCH_READY_FILE: readyFile,
          ANABRANCH_LAUNCH: JSON.stringify(launches.begin(performance.now())),
        },
      }),
    ownFaultOf: (exit) => launches?.end(exit, performance.now()),
    // Without a limit: it may wait for a part that was taken down, and to start it again would not help.
    ready: (_child, signal) =>
      waitFor(() => readReport(readyFile), { signal, timeoutMs: Infinity, what: `${name}, to start,` }),
  };
}

/**
 * Every process gets the same settings and takes what it knows.
 * @param {ServiceContext} context
 * @param {number} index
 * @returns {NodeJS.ProcessEnv}
 */
export function serviceEnvironment({ settings, paths, addresses }, index = 0) {
  return {
    ...settings.environment,
    ANABRANCH_KAFKA_BROKERS: addresses.kafka,
    ANABRANCH_REGISTRY_URL: addresses.registry,
    ANABRANCH_POSTGRES_URL: addresses.postgres,
    ANABRANCH_OBJECT_STORE_DIR: paths.objects,
    NODE_COMPILE_CACHE: settings.environment.NODE_COMPILE_CACHE ?? paths.compiled,
    // A further instance of a service with an API takes any free port: the first one keeps the address.
    ANABRANCH_HTTP_PORT: String(index === 0 ? settings.ports.http : 0),
    ANABRANCH_HEALTH_PORT: '0',
    ANABRANCH_INSTANCE: String(index),
  };
}

/**
 * @param {string} readyFile
 * @returns {{ metricsUrl: string, url?: string } | null}
 */
function readReport(readyFile) {
  const report = readJson(readyFile);
  if (report === null) return null;
  return {
    metricsUrl: `http://127.0.0.1:${report.healthPort}/metrics`,
    ...(report.httpPort !== undefined && { url: `http://127.0.0.1:${report.httpPort}` }),
  };
}

/**
 * What a service that runs says it still waits for.
 * @param {string} metricsUrl
 * @returns {Promise<string[]>} empty = it is ready
 */
export async function reasonsNotReady(metricsUrl) {
  try {
    const response = await fetch(new URL('/health/ready', metricsUrl), { signal: AbortSignal.timeout(2_000) });
    const { faults = [] } = /** @type {{ faults?: { check: string, reason: string }[] }} */ (await response.json());
    if (response.ok) return [];
    return faults.length > 0 ? faults.map(({ check, reason }) => `${check}: ${reason}`) : [`status ${response.status}`];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/**
 * Starts a service and waits until it says that it is ready, or the time is up.
 * @param {import('./run/supervised.mjs').Supervised} process
 * @param {number} timeoutMs
 * @returns {Promise<string[]>} what it still lacks; empty = it is ready. Rejects when it was given up.
 */
export async function startUntilHealthy(process, timeoutMs) {
  const signal = AbortSignal.timeout(timeoutMs);
  const timeUp = new Promise((resolve) => signal.addEventListener('abort', resolve));
  await Promise.race([process.start(), timeUp]);
  let reasons = ['it has not started yet: see its log'];
  const isHealthy = async () => {
    const { metricsUrl } = process.details;
    if (metricsUrl) reasons = await reasonsNotReady(metricsUrl);
    return metricsUrl && reasons.length === 0 ? true : null;
  };
  await waitFor(isHealthy, { signal, timeoutMs, what: process.name }).catch(() => {});
  return reasons;
}
