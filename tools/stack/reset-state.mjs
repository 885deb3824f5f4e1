import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { postgresFolderOutside } from './infra/postgres-home.mjs';
import { statePaths } from './state.mjs';

/**
 * Removes only what the launcher makes: the state folder may have been set to one that holds other things, too.
 * @param {string} stateDir
 * @returns {string[]} what was there and is not any more
 */
export function removeState(stateDir) {
  const paths = statePaths(stateDir);
  const outside = postgresFolderOutside(paths);
  const present = [outside, ...Object.values(paths)].filter((path) => path !== null).filter((path) => existsSync(path));
  for (const path of present) rmSync(path, { recursive: true, force: true });
  if (existsSync(stateDir) && readdirSync(stateDir).length === 0) rmdirSync(stateDir);
  return present;
}
