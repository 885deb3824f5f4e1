import { homedir } from 'node:os';
import { join } from 'node:path';
import { isFile, readJson } from '../files.mjs';
import { isWritable } from '../settings.mjs';
import { runQuietly } from './run-quietly.mjs';

/**
 * `npm ci`, but only when what is installed is not what the lock file says.
 * @param {string} root
 * @param {{ say: (line: string) => void, env: NodeJS.ProcessEnv, cacheDir: string }} options
 */
export async function installPackages(root, { say, env, cacheDir }) {
  if (isInstalled(root)) return;
  say('installing packages (about a minute) …');
  const args = ['ci', '--loglevel=error', '--no-fund', '--no-audit', '--include=optional', '--include=dev'];
  await runQuietly('npm', args, { cwd: root, env: withNpmCache(env, cacheDir), what: 'npm ci failed' });
}

/**
 * npm keeps its own account of node_modules, which this reads: a mark of our own would be wrong after a manual install.
 * @param {string} root
 */
export function isInstalled(root) {
  const wanted = readJson(join(root, 'package-lock.json'));
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'));
  if (!wanted || !installed) return false;
  const bundlesNode = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  if (bundlesNode && !isFile(join(root, 'node_modules', '.bin', 'node'))) return false;
  return Object.entries(wanted.packages)
    .filter(([path]) => path.startsWith('node_modules/'))
    .every(([path, entry]) => isSame(entry, installed.packages[path]));
}

/**
 * Packages for other platforms are optional and are not there.
 * @param {{ version?: string, integrity?: string, link?: boolean, optional?: boolean }} wanted
 * @param {{ version?: string, integrity?: string, link?: boolean } | undefined} installed
 */
function isSame(wanted, installed) {
  if (installed === undefined) return wanted.optional === true;
  return (
    wanted.version === installed.version && wanted.integrity === installed.integrity && wanted.link === installed.link
  );
}

/**
 * npm's cache lies in the home folder; without a home to write to it needs another one.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} cacheDir
 * @returns {NodeJS.ProcessEnv}
 */
function withNpmCache(env, cacheDir) {
  const usual = env.npm_config_cache ?? join(env.HOME || homedir(), '.npm');
  return isWritable(usual) ? env : { ...env, npm_config_cache: join(cacheDir, 'npm') };
}

/**
 * What runs in the workspace finds its tools, and Node 24 as `node`.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function workspaceEnvironment(root, env) {
  return { ...env, PATH: `${join(root, 'node_modules', '.bin')}:${env.PATH ?? ''}` };
}
