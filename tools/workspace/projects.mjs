// Reads the workspace's projects from their package.json files: the one source for all checks in this folder.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @typedef {object} Project
 * @property {string} folder relative to the root: 'libs/kafka'
 * @property {string} shortName 'kafka'
 * @property {string} name '@anabranch/kafka'
 * @property {string[]} tags
 * @property {string[]} dependencies names of workspace projects that its source may import
 * @property {Record<string, any>} manifest
 */

/**
 * @param {string} [root]
 * @returns {Project[]} libs first, then services, each sorted by folder
 */
export function listProjects(root = repositoryRoot) {
  const folders = ['libs', 'services'].flatMap((parent) =>
    existsSync(join(root, parent)) ? readdirSync(join(root, parent)).map((name) => `${parent}/${name}`) : [],
  );
  const manifests = folders
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) }));
  const names = new Set(manifests.map(({ manifest }) => manifest.name));
  return manifests
    .sort((a, b) => (a.folder < b.folder ? -1 : 1))
    .map(({ folder, manifest }) => ({
      folder,
      shortName: folder.split('/')[1],
      name: manifest.name,
      tags: manifest.nx?.tags ?? [],
      dependencies: Object.keys(manifest.dependencies ?? {}).filter((name) => names.has(name)),
      manifest,
    }));
}

/**
 * Names of projects that depend on each other in a circle, which `tsc -b` cannot build.
 * @param {Project[]} projects
 * @returns {string[]} the circle's names in order, or an empty list
 */
export function findCycle(projects) {
  const byName = new Map(projects.map((project) => [project.name, project]));
  const finished = new Set();
  /** @type {(name: string, path: string[]) => string[]} */
  const visit = (name, path) => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (finished.has(name)) return [];
    for (const next of byName.get(name)?.dependencies ?? []) {
      const cycle = visit(next, [...path, name]);
      if (cycle.length > 0) return cycle;
    }
    finished.add(name);
    return [];
  };
  for (const { name } of projects) {
    const cycle = visit(name, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}
