import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnGuarded } from '../run/spawn.mjs';
import { waitFor } from '../run/wait.mjs';
import { runQuietly } from '../setup/run-quietly.mjs';
import { preparePostgresHome } from './postgres-home.mjs';
import { isPostgresReady } from './wire.mjs';

/** After the services (at once) and Kafka (3 s), when the launcher itself was killed. */
const orphanDelaySeconds = 4;

/**
 * @param {import('./infra.mjs').InfraContext} context
 * @returns {{ process: import('../run/supervised.mjs').ProcessSpec, url: string, adminUrl: string }}
 */
export function postgres({ settings, paths }) {
  const home = preparePostgresHome(settings, paths);
  const password = readOrMakePassword(home);
  const at = `127.0.0.1:${settings.ports.postgres}`;
  return {
    process: postgresProcess(home, { settings, password }),
    url: `postgres://anabranch:${password}@${at}/anabranch`,
    adminUrl: `postgres://postgres:${password}@${at}/postgres`,
  };
}

/**
 * @param {import('./postgres-home.mjs').PostgresHome} home
 * @param {{ settings: import('../settings.mjs').Settings, password: string }} options
 * @returns {import('../run/supervised.mjs').ProcessSpec}
 */
function postgresProcess(home, { settings, password }) {
  return {
    name: 'postgres',
    stopSignal: 'SIGINT', // Ends sessions; SIGTERM would wait for the clients to leave.
    stopTimeoutMs: 30_000,
    prepare: () => initialiseOnce(home, { settings, password }),
    spawn: () =>
      spawnGuarded({
        command: join(home.binaries, 'postgres'),
        args: ['-D', join(home.folder, 'data'), ...serverSettings(settings)],
        stopSignal: 'SIGINT',
        delaySeconds: orphanDelaySeconds,
        options: { ...home.user, cwd: '/', env: serverEnvironment(settings.environment) },
      }),
    ready: ({ pid }, signal) => {
      const isUp = async () => saysReady(home.folder, pid) && (await isPostgresReady(settings.ports.postgres));
      return waitFor(async () => ((await isUp()) ? {} : null), {
        signal,
        timeoutMs: 60_000,
        what: 'PostgreSQL, to accept sessions,',
      });
    },
  };
}

/**
 * The server's own account of itself, which `pg_ctl` reads, too: to knock before it is ready would fill its log.
 * @param {string} folder
 * @param {number | undefined} pid
 */
function saysReady(folder, pid) {
  const file = join(folder, 'data', 'postmaster.pid');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

/**
 * Made in a draft folder that is renamed when all is in it: one cut short is thrown away.
 * @param {import('./postgres-home.mjs').PostgresHome} home
 * @param {{ settings: import('../settings.mjs').Settings, password: string }} options
 */
async function initialiseOnce(home, { settings, password }) {
  const data = join(home.folder, 'data');
  if (existsSync(data)) return;
  const draft = join(home.folder, 'data.draft');
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  if ('uid' in home.user) chownSync(draft, home.user.uid, home.user.gid);
  const options = { ...home.user, cwd: '/', env: serverEnvironment(settings.environment) };
  const initdb = [
    '-D',
    draft,
    '-U',
    'postgres',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ];
  const access = ['--locale=C', '--auth=scram-sha-256', `--pwfile=${join(home.folder, 'password')}`];
  const sync = settings.throwAway ? ['--no-sync'] : [];
  await runQuietly(join(home.binaries, 'initdb'), [...initdb, ...access, ...sync], {
    ...options,
    what: 'PostgreSQL could not make its data folder',
  });
  await runQuietly(join(home.binaries, 'postgres'), ['--single', '-D', draft, 'postgres'], {
    ...options,
    input: firstStatements(password),
    what: "PostgreSQL could not make Anabranch's database",
  });
  renameSync(draft, data);
}

/**
 * The platform owns its database and no more; row-level security would not bind a superuser.
 * @param {string} password
 */
function firstStatements(password) {
  return [
    `CREATE ROLE anabranch LOGIN CREATEROLE PASSWORD '${password}'`,
    'CREATE DATABASE anabranch OWNER anabranch',
    '',
  ].join('\n');
}

/** @param {import('../settings.mjs').Settings} settings */
function serverSettings({ ports, throwAway }) {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: ports.postgres,
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '64MB',
    max_wal_size: '512MB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // A statement's parameters may hold a document's text.
    log_parameter_max_length_on_error: 0,
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...(throwAway ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : { fsync: 'on' }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * Variables for clients (PGHOST, PGDATA …) and a foreign locale have no business in the server.
 * @param {NodeJS.ProcessEnv} env
 */
function serverEnvironment(env) {
  return { PATH: env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

/**
 * Random, since every user of the machine can reach the port.
 * @param {import('./postgres-home.mjs').PostgresHome} home
 */
function readOrMakePassword(home) {
  const file = join(home.folder, 'password');
  if (!existsSync(file)) {
    writeFileSync(file, `${randomBytes(18).toString('hex')}\n`, { mode: 0o600 });
    if ('uid' in home.user) chownSync(file, home.user.uid, home.user.gid);
  }
  return readFileSync(file, 'utf8').trim();
}
