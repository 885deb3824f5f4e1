import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { StackFault } from '../fault.mjs';
import { portSettings } from '../settings.mjs';
import { commandOf } from './processes.mjs';

const loopback = '127.0.0.1';

/**
 * Throws one fault that names every taken port, who has it, and the setting that moves ours.
 * @param {Record<string, number>} ports
 */
export async function requireFreePorts(ports) {
  const taken = [];
  for (const setting of portSettings) {
    if (!(await isPortFree(ports[setting.key]))) taken.push(setting);
  }
  if (taken.length === 0) return;
  const spare = await freePorts(taken.length);
  const lines = taken.map(({ key, variable, of }, index) => {
    return `  ${ports[key]}, for ${of}, is taken by ${describeHolder(ports[key])}: set ${variable}, for example to ${spare[index]}`;
  });
  const retry = taken.map(({ variable }, index) => `${variable}=${spare[index]}`).join(' ');
  throw new StackFault(
    `Nothing was started, because of ports in use:\n${lines.join('\n')}\nFor example: ${retry} npm start`,
  );
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export async function isPortFree(port) {
  return (await canListen(port)) && !(await canConnect(port));
}

/** @param {number} port */
function canListen(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: loopback, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Some systems let two listen on one port, one on all addresses and one on loopback.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function canConnect(port) {
  return new Promise((resolve) => {
    const socket = connect({ port, host: loopback });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * Ports that nobody listens on now, from below the range that the system gives to outgoing connections: one of those
 * could be taken by the time that we listen.
 * @param {number} count
 * @returns {Promise<number[]>}
 */
export async function freePorts(count) {
  /** @type {Set<number>} */
  const found = new Set();
  for (let tries = 0; found.size < count; tries++) {
    if (tries > 1000)
      throw new StackFault('No free ports between 20000 and 31999: end what holds them, and try again.');
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (!found.has(port) && (await isPortFree(port))) found.add(port);
  }
  return [...found];
}

/** @param {number} port */
function describeHolder(port) {
  const pid = process.platform === 'linux' ? linuxHolder(port) : lsofHolder(port);
  if (pid === null) return 'another program';
  const command = commandOf(pid);
  return `pid ${pid} (${command.length > 80 ? `${command.slice(0, 79)}…` : command})`;
}

/**
 * The process behind a listening socket, by its inode. Other users' processes cannot be looked into.
 * @param {number} port
 */
function linuxHolder(port) {
  const inodes = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningInodes(table, port)));
  if (inodes.size === 0) return null;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const holder = pids.find((pid) => socketsOf(pid).some((inode) => inodes.has(inode)));
  return holder === undefined ? null : Number(holder);
}

/**
 * @param {string} table
 * @param {number} port
 */
function listeningInodes(table, port) {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = attempt(() => readFileSync(table, 'utf8').trim().split('\n').slice(1), []);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((row) => row[1]?.endsWith(suffix) && row[3] === '0A')
    .map((row) => row[9]);
}

/** @param {string} pid */
function socketsOf(pid) {
  const descriptors = attempt(() => readdirSync(`/proc/${pid}/fd`), []);
  return descriptors.flatMap((descriptor) => {
    const target = attempt(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`), '');
    return /^socket:\[(\d+)\]$/.exec(target)?.slice(1) ?? [];
  });
}

/** @param {number} port */
function lsofHolder(port) {
  const text = attempt(
    () => execFileSync('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-t'], { encoding: 'utf8' }),
    '',
  );
  return text === '' ? null : Number(text.split('\n')[0]);
}

/**
 * @template T
 * @param {() => T} read
 * @param {T} otherwise
 * @returns {T}
 */
function attempt(read, otherwise) {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
