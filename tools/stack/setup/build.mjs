import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isFolder, readJson, writeJson } from '../files.mjs';
import { serviceNode } from '../services.mjs';
import { runQuietly } from './run-quietly.mjs';

const parents = ['libs', 'services'];
const rootFiles = ['tsconfig.base.json', 'tsconfig.build.base.json', 'tsconfig.build.json', 'package-lock.json'];

/**
 * `tsc -b`, but only when some source changed since: finding out that nothing did takes it seconds.
 * @param {string} root
 * @param {{ say: (line: string) => void, env: NodeJS.ProcessEnv }} options
 */
export async function buildSources(root, { say, env }) {
  const stamp = join(root, 'node_modules', '.anabranch', 'build.json');
  const fingerprint = fingerprintSources(root);
  if (readJson(stamp)?.fingerprint === fingerprint && everythingIsBuilt(root)) return;
  say('building …');
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await runQuietly(serviceNode(root), [compiler, '-b', 'tsconfig.build.json'], {
    cwd: root,
    env,
    what: 'The build failed',
  });
  writeJson(stamp, { fingerprint });
}

/**
 * Over content, not times: a fresh checkout of the same sources is the same.
 * @param {string} root
 */
function fingerprintSources(root) {
  const hash = createHash('sha256');
  for (const file of [...rootFiles, ...projectFolders(root).flatMap((folder) => sourcesOf(root, folder))]) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** @param {string} root */
function projectFolders(root) {
  const folders = parents.filter((parent) => isFolder(join(root, parent)));
  return folders.flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(parent, name))).sort();
}

/**
 * @param {string} root
 * @param {string} project
 */
function sourcesOf(root, project) {
  const settings = ['package.json', 'tsconfig.json'].map((name) => join(project, name));
  const source = join(root, project, 'src');
  const names = isFolder(source) ? readdirSync(source, { recursive: true, encoding: 'utf8' }) : [];
  const files = names.map((name) => join(project, 'src', name)).filter((file) => statSync(join(root, file)).isFile());
  return [...settings.filter((file) => statSync(join(root, file), { throwIfNoEntry: false })), ...files.sort()];
}

/** @param {string} root */
function everythingIsBuilt(root) {
  const built = (/** @type {string} */ folder) =>
    isFolder(join(root, folder, 'dist')) || !isFolder(join(root, folder, 'src'));
  return projectFolders(root).every(built);
}
