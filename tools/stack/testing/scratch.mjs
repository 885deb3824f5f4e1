// A test run's own place: state folders of throw-away stacks, beside whatever else runs on this machine.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFolder, readJson, writeJson } from '../files.mjs';
import { removeState } from '../reset-state.mjs';
import { endLeftovers } from '../run/launcher-record.mjs';
import { freePorts } from '../run/ports.mjs';
import { isRunning, startTimeOf } from '../run/processes.mjs';
import { portSettings } from '../settings.mjs';
import { statePaths } from '../state.mjs';

const prefix = 'anabranch-test-';

/**
 * What every phase of a test run gets.
 * @typedef {object} TestContext
 * @property {string} root
 * @property {NodeJS.ProcessEnv} env the caller's, without anything that would lead to a running stack
 * @property {string} scratch
 */

/** @returns {string} a new folder, marked as this process's */
export function makeScratch() {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  writeJson(join(folder, 'owner.json'), { pid: process.pid, started: startTimeOf(process.pid) });
  return folder;
}

/**
 * Settings that put one throw-away stack into the scratch folder.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} stateDir
 * @returns {Promise<NodeJS.ProcessEnv>}
 */
export async function scratchEnvironment(env, stateDir) {
  const ports = await freePorts(portSettings.length);
  const moved = portSettings.map(({ variable }, index) => [variable, String(ports[index])]);
  return { ...env, ...Object.fromEntries(moved), ANABRANCH_STATE_DIR: stateDir };
}

/**
 * Ends and removes everything in the scratch folder.
 * @param {string} folder
 */
export async function removeScratch(folder) {
  for (const name of readdirSync(folder)) {
    const stateDir = join(folder, name);
    if (!isFolder(stateDir)) continue;
    await endLeftovers(statePaths(stateDir), () => {});
    removeState(stateDir);
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Scratch folders whose test run was killed: as root, their databases lie elsewhere and would stay for ever. */
export async function removeAbandonedScratch() {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix));
  for (const folder of folders.map((name) => join(tmpdir(), name))) {
    const owner = readOwner(folder);
    if (owner !== null && !isRunning(owner)) await removeScratch(folder);
  }
}

/**
 * @param {string} folder
 * @returns {{ pid: number, started: string } | null} null for another user's
 */
function readOwner(folder) {
  try {
    return readJson(join(folder, 'owner.json'));
  } catch {
    return null;
  }
}
