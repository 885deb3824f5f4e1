import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProjects, repositoryRoot } from './projects.mjs';

const prefix = 'lint-canaries-';

/**
 * Writes each canary into a folder of its own process, beside the project's `src` and `test`: neither the compiler nor
 * Jest looks there, and its .gitignore hides it from git, Prettier, Nx and other runs of lint, but not from oxlint when
 * that is given the file's path.
 * @param {readonly import('./canaries.mjs').Canary[]} canaries
 * @returns {{ paths: string[], remove: () => void }} one path per canary, relative to the root, in their order
 */
export function placeCanaries(canaries, root = repositoryRoot) {
  removeLeftovers(root);
  const folders = [...new Set(canaries.map(({ project }) => join(project, `${prefix}${process.pid}`)))];
  const remove = () => folders.forEach((folder) => rmSync(join(root, folder), { recursive: true, force: true }));
  process.once('exit', remove);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, () => process.exit(1));
  }
  for (const folder of folders) {
    mkdirSync(join(root, folder, 'test'), { recursive: true });
    writeFileSync(join(root, folder, '.gitignore'), '*\n');
  }
  const paths = canaries.map(({ project, spec, code }, index) => {
    const path = join(project, `${prefix}${process.pid}`, spec ? 'test' : '', `canary-${index}.ts`);
    writeFileSync(join(root, path), code);
    return path;
  });
  return { paths, remove };
}

/** Removes what a killed run left behind. A run that still lives keeps its own. */
function removeLeftovers(/** @type {string} */ root) {
  for (const { folder } of listProjects(root)) {
    for (const name of readdirSync(join(root, folder)).filter((entry) => entry.startsWith(prefix))) {
      if (!isAlive(Number(name.slice(prefix.length))))
        rmSync(join(root, folder, name), { recursive: true, force: true });
    }
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
