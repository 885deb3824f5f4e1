// A platform of the bench's own, as `npm start` brings it up: free ports, fsync on, gone when it ends.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stopEverything } from '../../tools/stack/commands/stop.mjs';
import { isFile, readJson } from '../../tools/stack/files.mjs';
import { waitFor } from '../../tools/stack/run/wait.mjs';
import { serviceNode } from '../../tools/stack/services.mjs';
import { repositoryRoot } from '../../tools/stack/settings.mjs';
import { statePaths } from '../../tools/stack/state.mjs';
import { makeScratch, removeScratch, scratchEnvironment } from '../../tools/stack/testing/scratch.mjs';

const startTimeoutMs = 120_000;
const infrastructure = new Set(['kafka', 'registry', 'postgres']);
const analyses = ['SUMMARY', 'ENTITY_EXTRACTION', 'CLASSIFICATION', 'SENTIMENT', 'COMPLIANCE'];

/** Those that run now, so that whatever ends the bench ends them. */
const running = new Set();

export const stopPlatforms = () => Promise.all([...running].map((platform) => platform.stop()));

/**
 * What the analyses' stand-in for a model needs to know.
 * @param {{ stubFolder: string, isGated: boolean, slow: object | null, isKilled: boolean, environment: Record<string, string> }} options
 */
function stubEnvironment({ stubFolder, isGated, slow, isKilled, environment }) {
  const hook = pathToFileURL(join(import.meta.dirname, 'stub-hook.mjs')).href;
  const folder = process.env.BENCH_PROFILE;
  return {
    NODE_OPTIONS: `--import=${hook}${folder ? ` --cpu-prof --cpu-prof-dir=${folder}` : ''}`,
    BENCH_STUB: JSON.stringify({ folder: stubFolder, isGated, slow, isKilled }),
    ANABRANCH_MODEL_BASE_URL: 'http://in-process.invalid/v1',
    ANABRANCH_MODEL: 'stub',
    ...Object.fromEntries(analyses.map((name) => [`ANABRANCH_${name}_ENGINE`, 'model'])),
    ...environment,
  };
}

export class Platform {
  #paths;
  #scratch;
  #child;

  constructor({ paths, scratch, child, stubFolder }) {
    this.#paths = paths;
    this.#scratch = scratch;
    this.#child = child;
    this.stubFolder = stubFolder;
    running.add(this);
  }

  /** As it is now: processes come and go. */
  get book() {
    return readJson(this.#paths.local);
  }

  /** @returns {{ name: string, pid: number }[]} */
  get processes() {
    return this.book?.processes ?? [];
  }

  get services() {
    return this.processes.filter(({ name }) => !infrastructure.has(name));
  }

  async stop() {
    if (!running.delete(this)) return;
    await stopEverything(this.#paths, () => {});
    this.#child.kill();
    await removeScratch(this.#scratch);
  }
}

/**
 * @param {{ compact?: boolean, isGated?: boolean, slow?: object | null, isKilled?: boolean,
 *   environment?: Record<string, string> }} [options] `isKilled`: services will be
 * @returns {Promise<Platform>}
 */
export async function startPlatform(options = {}) {
  const { compact = false, isGated = true, slow = null, isKilled = false, environment = {} } = options;
  const scratch = makeScratch();
  const paths = statePaths(join(scratch, 'platform'));
  const stubFolder = join(scratch, 'calls');
  mkdirSync(paths.logs, { recursive: true });
  mkdirSync(stubFolder);
  const env = {
    ...(await scratchEnvironment(process.env, join(scratch, 'platform'))),
    ...stubEnvironment({ stubFolder, isGated, slow, isKilled, environment }),
  };
  const output = join(paths.logs, 'launcher.log');
  const file = openSync(output, 'a');
  const cli = join(repositoryRoot, 'tools', 'stack', 'cli.mjs');
  const args = [cli, 'start', '--no-build', ...(compact ? ['--compact'] : [])];
  const child = spawn(serviceNode(repositoryRoot), args, { cwd: repositoryRoot, env, stdio: ['ignore', file, file] });
  closeSync(file);
  const platform = new Platform({ paths, scratch, child, stubFolder });
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  try {
    const what = 'the platform, to become ready,';
    await waitFor(() => (isFile(paths.local) ? true : null), { signal: ended.signal, timeoutMs: startTimeoutMs, what });
  } catch (cause) {
    const lines = readFileSync(output, 'utf8').trimEnd().split('\n').slice(-40).join('\n');
    await platform.stop();
    throw new Error(`The platform did not come up:\n${lines}`, { cause });
  }
  return platform;
}
