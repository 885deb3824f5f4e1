// What a launcher leaves in the state folder about itself and its children, for the next one and for other terminals.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { StackFault } from '../fault.mjs';
import { errorCode, readJson, removeFile, writeJson } from '../files.mjs';
import { isInfrastructure } from '../infra/names.mjs';
import { endProcess, isRunning, startTimeOf } from './processes.mjs';

/** @typedef {{ pid: number, started: string | null, port?: number, token?: string }} LauncherRecord */
/** @typedef {{ name: string, pid: number, started: string | null }} ProcessRecord */

/**
 * @param {import('../state.mjs').StatePaths} paths
 * @returns {LauncherRecord | null} the launcher that runs on this state folder now
 */
export function runningLauncher(paths) {
  const record = readJson(paths.launcher);
  return record && isRunning(record) ? record : null;
}

/**
 * At most one launcher per state folder: the file is made exclusively, and a dead launcher's is replaced.
 * @param {import('../state.mjs').StatePaths} paths
 */
export function becomeLauncher(paths) {
  const own = { pid: process.pid, started: startTimeOf(process.pid) };
  mkdirSync(dirname(paths.launcher), { recursive: true });
  for (;;) {
    try {
      writeFileSync(paths.launcher, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
      return own;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      refuseSecondLauncher(paths);
      removeFile(paths.launcher);
    }
  }
}

/** @param {import('../state.mjs').StatePaths} paths */
function refuseSecondLauncher(paths) {
  const other = runningLauncher(paths);
  if (other === null) return;
  throw new StackFault(
    `Anabranch runs already, as pid ${other.pid}.\n` +
      '  npm run status          shows its processes\n' +
      '  npm run stop            ends it\n' +
      '  npm start -- --only X   brings part X back, or adds an instance of it',
  );
}

/** The children that run now, on disk: whatever ends the launcher, its successor finds them. */
export class ProcessBook {
  #file;
  /** @type {Map<string, ProcessRecord>} */ #records = new Map();

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
  }

  /**
   * @param {string} name
   * @param {number} pid
   */
  enter(name, pid) {
    this.#records.set(name, { name, pid, started: startTimeOf(pid) });
    this.#write();
  }

  /** @param {string} name */
  strike(name) {
    if (this.#records.delete(name)) this.#write();
  }

  #write() {
    writeJson(this.#file, [...this.#records.values()]);
  }
}

/**
 * Ends what a killed launcher left: services first, then the infrastructure, each only if it is still the same process.
 * @param {import('../state.mjs').StatePaths} paths
 * @param {(line: string) => void} say
 */
export async function endLeftovers(paths, say) {
  /** @type {ProcessRecord[]} */
  const left = (readJson(paths.processes) ?? []).filter(isRunning);
  if (left.length > 0) say(`ending what an earlier start left running: ${left.map(({ name }) => name).join(', ')}`);
  const isService = (/** @type {ProcessRecord} */ { name }) => !isInfrastructure(name);
  await Promise.all(left.filter(isService).map((known) => endProcess(known, { signal: 'SIGTERM', timeoutMs: 15_000 })));
  for (const known of left.filter((record) => !isService(record))) {
    await endProcess(known, { signal: known.name === 'postgres' ? 'SIGINT' : 'SIGTERM', timeoutMs: 30_000 });
  }
  removeFile(paths.processes);
  removeFile(paths.local);
  removeFile(paths.prometheusTargets);
}
