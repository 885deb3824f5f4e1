// Writes every project's tsconfig.json and the root tsconfig.build.json from the workspace dependencies in package.json:
// node tools/workspace/sync.mjs [--check]
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'prettier';
import { findCycle, listProjects, repositoryRoot } from './projects.mjs';

/**
 * The files that should exist, with their text.
 * @param {import('./projects.mjs').Project[]} projects
 * @returns {Promise<Map<string, string>>} path relative to the root -> text
 */
export async function expectedReferences(projects) {
  const folderOf = new Map(projects.map(({ name, folder }) => [name, folder]));
  const files = new Map();
  for (const { folder, dependencies } of projects) {
    const references = dependencies
      .map((name) => ({ path: relative(folder, folderOf.get(name) ?? '') }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    files.set(`${folder}/tsconfig.json`, {
      extends: '../../tsconfig.build.base.json',
      compilerOptions: { rootDir: 'src', outDir: 'dist' },
      include: ['src'],
      references,
    });
  }
  files.set('tsconfig.build.json', { files: [], references: projects.map(({ folder }) => ({ path: folder })) });
  const texts = [...files].map(async ([path, content]) => [path, await jsonText(content)]);
  return new Map(await Promise.all(texts));
}

/** @param {unknown} content */
function jsonText(content) {
  return format(JSON.stringify(content), { parser: 'json', singleQuote: true, printWidth: 120 });
}

/**
 * @param {string} [root]
 * @returns {Promise<string[]>} paths of generated files that are missing or differ from what package.json says
 */
export async function staleReferences(root = repositoryRoot) {
  const expected = await expectedReferences(listProjects(root));
  return [...expected].filter(([path, text]) => readOrEmpty(join(root, path)) !== text).map(([path]) => path);
}

/** @param {string} path */
function readOrEmpty(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

async function main() {
  const projects = listProjects();
  const cycle = findCycle(projects);
  if (cycle.length > 0) throw new Error(`projects depend on each other in a circle: ${cycle.join(' -> ')}`);
  const stale = await staleReferences();
  if (process.argv.includes('--check')) {
    for (const path of stale) console.error(`${path} is not current: run node tools/workspace/sync.mjs`);
    console.log(`references: ${projects.length} projects, ${stale.length} stale files`);
    process.exitCode = stale.length > 0 ? 1 : 0;
    return;
  }
  const expected = await expectedReferences(projects);
  for (const path of stale) writeFileSync(join(repositoryRoot, path), /** @type {string} */ (expected.get(path)));
  console.log(`references: ${projects.length} projects, ${stale.length} files written`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
