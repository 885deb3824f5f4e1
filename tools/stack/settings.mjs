// The launcher's own settings. Everything else that begins with ANABRANCH_ belongs to the services and is handed on.
import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StackFault } from './fault.mjs';

export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * Away from the usual numbers of Kafka (9092), registry (8081) and PostgreSQL (5432), so that those may run beside it,
 * and below the range that the system gives to outgoing connections.
 */
export const portSettings = [
  { key: 'http', variable: 'ANABRANCH_HTTP_PORT', standard: 8080, of: 'the HTTP API' },
  { key: 'kafka', variable: 'ANABRANCH_KAFKA_PORT', standard: 19092, of: 'Kafka' },
  { key: 'kafkaController', variable: 'ANABRANCH_KAFKA_CONTROLLER_PORT', standard: 19093, of: "Kafka's controller" },
  { key: 'registry', variable: 'ANABRANCH_REGISTRY_PORT', standard: 18081, of: 'the schema registry' },
  {
    key: 'registryManagement',
    variable: 'ANABRANCH_REGISTRY_MANAGEMENT_PORT',
    standard: 18082,
    of: "the schema registry's health page",
  },
  { key: 'postgres', variable: 'ANABRANCH_POSTGRES_PORT', standard: 15432, of: 'PostgreSQL' },
];

const folderSettings = [
  {
    variable: 'ANABRANCH_STATE_DIR',
    description: 'the folder for data, logs and what is running; .anabranch unless set',
  },
  {
    variable: 'ANABRANCH_CACHE_DIR',
    description: "the folder for Kafka and the registry, as downloaded; in the user's cache folder unless set",
  },
  {
    variable: 'ANABRANCH_POSTGRES_DIR',
    description: "the folder for PostgreSQL's data when it cannot be in the state folder (as root: /var/lib/anabranch)",
  },
];

/** What `npm start` and the other commands read from the environment; completes the sentence "set it to …". */
export const launcherSettings = [
  ...portSettings.map(({ variable, standard, of }) => ({
    variable,
    description: `the port of ${of}; ${standard} unless set`,
  })),
  ...folderSettings,
];

/**
 * @typedef {object} Settings
 * @property {string} root the checkout
 * @property {string} stateDir data, logs and what is running: `.anabranch`
 * @property {string} cacheDir downloads, shared by all checkouts of one user
 * @property {string | undefined} postgresDir where PostgreSQL's data and binaries go when they cannot be in `stateDir`
 * @property {Record<string, number>} ports by the keys of {@link portSettings}
 * @property {NodeJS.ProcessEnv} environment for child processes: without the launcher's own settings
 * @property {boolean} throwAway data of a test run: no fsync
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {{ root?: string, throwAway?: boolean }} [options]
 * @returns {Settings}
 */
export function readSettings(env, { root = repositoryRoot, throwAway = false } = {}) {
  /** @type {string[]} */
  const faults = [];
  const ports = Object.fromEntries(portSettings.map((setting) => [setting.key, readPort(env, setting, faults)]));
  faults.push(...sharedPorts(ports));
  if (faults.length > 0) throw new StackFault(faults.join('\n'));
  const stateDir = resolve(root, env.ANABRANCH_STATE_DIR || '.anabranch');
  return {
    root,
    stateDir,
    cacheDir: env.ANABRANCH_CACHE_DIR ? resolve(root, env.ANABRANCH_CACHE_DIR) : defaultCache(env, stateDir),
    postgresDir: env.ANABRANCH_POSTGRES_DIR && resolve(root, env.ANABRANCH_POSTGRES_DIR),
    ports,
    environment: withoutLauncherSettings(env),
    throwAway,
  };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {{ variable: string, standard: number }} setting
 * @param {string[]} faults
 */
function readPort(env, { variable, standard }, faults) {
  const text = env[variable];
  if (text === undefined || text === '') return standard;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    faults.push(`${variable} is "${text}": set it to a port number from 1 to 65535`);
  }
  return port;
}

/** @param {Record<string, number>} ports */
function sharedPorts(ports) {
  return portSettings.flatMap((setting, index) => {
    const twin = portSettings.slice(0, index).find(({ key }) => ports[key] === ports[setting.key]);
    return twin ? [`${setting.variable} and ${twin.variable} are both ${ports[setting.key]}: change one`] : [];
  });
}

/** @param {NodeJS.ProcessEnv} env */
function withoutLauncherSettings(env) {
  const own = new Set(launcherSettings.map(({ variable }) => variable));
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !own.has(name) && !/^ANABRANCH_(TEST|E2E)_/.test(name)),
  );
}

/**
 * Outside the checkout, so that a fresh clone downloads nothing again; inside it when there is no home to write to.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} stateDir
 */
function defaultCache(env, stateDir) {
  const home = env.HOME || homedir();
  const platformFolder = process.platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
  const cache = join(env.XDG_CACHE_HOME || platformFolder, 'anabranch');
  return isWritable(cache) ? cache : join(stateDir, 'cache');
}

/** @param {string} folder */
export function isWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
