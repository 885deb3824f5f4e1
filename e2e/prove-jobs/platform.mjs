// A platform of the proof's own, as `npm start` brings it up, with further members of ingestion, collection and one analysis
// that reach Postgres through a proxy; all of it on free ports and in a folder that is gone in the end.
import { execFile, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sendSignal } from '../../tools/stack/run/processes.mjs';
import { serviceNode, serviceProcess, startUntilHealthy } from '../../tools/stack/services.mjs';
import { readSettings, repositoryRoot } from '../../tools/stack/settings.mjs';
import { Stack } from '../../tools/stack/stack.mjs';
import { statePaths } from '../../tools/stack/state.mjs';
import { makeScratch, removeScratch, scratchEnvironment } from '../../tools/stack/testing/scratch.mjs';
import { startCommitCutter } from './commit-cutter.mjs';

const runFile = promisify(execFile);
const root = repositoryRoot;
const cli = join(root, 'tools', 'stack', 'cli.mjs');
const startTimeoutMs = 180_000;
/** Instances of the launcher's own are numbered from 0. */
const furtherIndex = 8;

/**
 * @param {NodeJS.ProcessEnv} extra settings of the services
 * @param {import('./random.mjs').Random} random
 */
export async function startPlatform(extra, random) {
  const scratch = makeScratch();
  const stateDir = join(scratch, 'platform');
  const paths = statePaths(stateDir);
  const env = { ...(await scratchEnvironment(process.env, stateDir)), ...extra };
  mkdirSync(paths.logs, { recursive: true });
  const command = async (...args) => (await runFile(serviceNode(root), [cli, ...args], { cwd: root, env })).stdout;
  const platform = new Platform({ env, paths, scratch, command });
  try {
    await platform.start(random);
  } catch (error) {
    await platform.stop();
    throw error;
  }
  return platform;
}

export class Platform {
  #context;
  #further = /** @type {Stack | null} */ (null);
  #book = null;
  cutter = null;

  constructor(context) {
    this.#context = context;
  }

  get logs() {
    return this.#context.paths.logs;
  }

  /** Pids change: it is read anew, unless it is being written. */
  get book() {
    try {
      this.#book = JSON.parse(readFileSync(this.#context.paths.local, 'utf8'));
    } catch (error) {
      if (this.#book === null) throw error;
    }
    return this.#book;
  }

  async start(random) {
    const { env, paths } = this.#context;
    const log = openSync(join(paths.logs, 'launcher.log'), 'a');
    const launcher = spawn(serviceNode(root), [cli, 'start', '--no-build'], {
      cwd: root,
      env,
      stdio: ['ignore', log, log],
    });
    const end = performance.now() + startTimeoutMs;
    while (!existsSync(paths.local)) {
      if (launcher.exitCode !== null || performance.now() > end)
        throw new Error(`The platform did not come up:\n${readFileSync(join(paths.logs, 'launcher.log'), 'utf8')}`);
      await delay(100);
    }
    this.cutter = await startCommitCutter(this.book.postgres, random);
    await this.#startFurther();
  }

  async #startFurther() {
    const { env, paths } = this.#context;
    const { kafka, registry } = this.book;
    const addresses = { kafka, registry, postgres: this.cutter.url, postgresAdmin: '' };
    this.#further = new Stack({ logFolder: paths.logs, show: () => {}, report: () => {} });
    const context = { settings: readSettings(env), paths, addresses };
    for (const service of ['ingestion', 'collection', 'summary']) {
      const member = this.#further.add(serviceProcess(context, service, furtherIndex));
      const reasons = await startUntilHealthy(member, startTimeoutMs);
      if (reasons.length > 0) throw new Error(`${member.name} does not become ready: ${reasons.join('; ')}`);
    }
  }

  /** Where documents can be posted now. */
  get doors() {
    const further =
      this.#further?.processes.flatMap(({ name, details }) => (name.startsWith('ingestion') && details.url) || []) ??
      [];
    return [this.book.url, ...further];
  }

  /** Every process of a service that runs: by name, with its pid. */
  get members() {
    const own = this.book.processes.filter(({ metricsUrl }) => metricsUrl);
    const further = this.#further?.processes.filter(({ pid }) => pid !== null) ?? [];
    return [...own, ...further].map(({ name, pid }) => ({ name, pid: Number(pid) }));
  }

  signal(pid, signal) {
    sendSignal(pid, signal);
  }

  takeDown(part) {
    return this.#context.command('stop', part);
  }

  async bringBack(part) {
    // What is up already is no fault here.
    await this.#context.command('start', '--only', part).catch((error) => {
      if (!/is up already/.test(`${error.stdout}${error.stderr}`)) throw error;
    });
  }

  /** Folds all histories, and says which jobs are otherwise. */
  async differingJobs() {
    const tool = join(root, 'libs/database/dist/jobs/rebuild-jobs.js');
    const env = { ...process.env, ANABRANCH_POSTGRES_URL: this.book.postgres };
    const done = await runFile(serviceNode(root), [tool, '--dry-run'], { cwd: root, env }).catch((error) => error);
    return String(done.stdout).trim();
  }

  /** @param {string} [logs] where the logs go */
  async stop(logs) {
    await this.#further?.stopAll();
    await this.cutter?.close();
    await this.#context.command('stop').catch(() => {});
    if (logs) cpSync(this.logs, logs, { recursive: true });
    await removeScratch(this.#context.scratch);
  }
}
