import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProjects } from '../projects.mjs';

/** @typedef {import('../projects.mjs').Project} Project */

/**
 * What the wiring rules look at, read once.
 * @typedef {object} Workspace
 * @property {Project[]} projects
 * @property {Project[]} services
 * @property {Project[]} analyses
 * @property {Record<string, any>} topics topic.json by topic
 * @property {Record<string, Record<string, string>>} released
 * @property {string[]} files of the projects, `schemas/` and `docs/adr/`, relative to the root, without build output
 * @property {(path: string) => string} read
 */

/**
 * @param {string} root
 * @returns {Workspace}
 */
export function readWorkspace(root) {
  const projects = listProjects(root);
  const exclude = (/** @type {string} */ path) => /(^|\/)(node_modules|dist|coverage|lint-canaries-\d+)$/.test(path);
  const files = globSync('{libs,services,schemas,tools,e2e,docs/adr}/**/*.*', { cwd: root, exclude }).sort();
  const read = (/** @type {string} */ path) => readFileSync(join(root, path), 'utf8');
  const topicFiles = files.filter((path) => /^schemas\/[^/]+\/topic\.json$/.test(path));
  return {
    projects,
    services: projects.filter(({ folder }) => folder.startsWith('services/')),
    analyses: projects.filter(({ tags }) => tags.includes('kind:analysis')),
    topics: Object.fromEntries(topicFiles.map((path) => [path.split('/')[1], JSON.parse(read(path))])),
    released: existsSync(join(root, 'schemas/released.json')) ? JSON.parse(read('schemas/released.json')) : {},
    files,
    read,
  };
}
