// What only this bench needs is installed on first use, beside it: never part of the product's own installation.
import { join } from 'node:path';
import { isFile, readJson } from '../../tools/stack/files.mjs';
import { runQuietly } from '../../tools/stack/setup/run-quietly.mjs';

const folder = import.meta.dirname;

/** Of a peer's package, as it is pinned. */
export const versionOf = (name) => readJson(join(folder, 'package.json')).dependencies[name];

/** Whether the folder holds the versions that package.json names. */
function isInstalled() {
  const wanted = readJson(join(folder, 'package.json')).dependencies;
  return Object.entries(wanted).every(([name, version]) => {
    const file = join(folder, 'node_modules', name, 'package.json');
    return isFile(file) && readJson(file).version === version;
  });
}

/** @param {(line: string) => void} say */
export async function installPeers(say) {
  if (isInstalled()) return;
  say('Installing BullMQ, Restate (its server is under the BSL) and DBOS into bench/peers/node_modules, 0.25 GB …');
  await runQuietly('npm', ['ci'], { cwd: folder, env: process.env, what: 'npm could not install the peers' });
}
