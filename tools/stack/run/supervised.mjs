// One process kept up: started, watched until it is ready, started again when it ends, until somebody stops it.
import { StackFault } from '../fault.mjs';
import { sendSignal } from './processes.mjs';

/**
 * `steadyMs`: a process that was ready for so long has proved itself; its next end counts as the first one again.
 * @typedef {{ firstMs: number, maxMs: number, steadyMs: number }} BackOff
 */

/** @type {BackOff} */
export const standardBackOff = { firstMs: 100, maxMs: 30_000, steadyMs: 30_000 };

/** After an end by its own fault: a few such ends in a row are how a record that causes them is found. */
const ownFaultMaxMs = 2_000;

/** The exit code with which a service says that its settings are wrong: to start it again would change nothing. */
const configurationExit = 78;

/**
 * @typedef {object} ProcessSpec
 * @property {string} name
 * @property {string} [service] what it is an instance of; the same as the name unless given
 * @property {number} [index]
 * @property {() => Promise<void>} [prepare] before each start
 * @property {() => import('node:child_process').ChildProcess} spawn
 * @property {(exit: Exit) => string | undefined} [ownFaultOf] asked once for each end: what it was, when the process caused
 *   it itself. It is started again soon, and as often as that happens: each time it is a step nearer to the cause
 * @property {(child: import('node:child_process').ChildProcess, signal: AbortSignal) => Promise<Record<string, any>>} ready
 *   resolves with what is known about the process when it does its work, for example its health port
 * @property {NodeJS.Signals} [stopSignal]
 * @property {number} [stopTimeoutMs] after it the process is killed
 * @property {number} [maxStartFailures] so often it may end before it was ever ready
 * @property {BackOff} [backOff]
 */

/** @typedef {{ code: number | null, signal: string | null, error?: Error }} Exit */

/**
 * @typedef {{ type: 'starting' | 'ready' | 'restarting' | 'failed' | 'stopped', process: Supervised,
 *   exit?: Exit, delayMs?: number, lines?: string[] }} SupervisionEvent
 */

export class Supervised {
  /** @type {ProcessSpec} */ #spec;
  #log;
  #report;
  #wanted = false;
  #wasReady = false;
  #failures = 0;
  #readyAt = 0;
  /** @type {'stopped' | 'starting' | 'ready' | 'waiting' | 'stopping' | 'failed'} */ #state = 'stopped';
  /** @type {import('node:child_process').ChildProcess | null} */ #child = null;
  /** @type {Record<string, any>} */ #details = {};
  /** @type {Promise<void> | null} */ #loop = null;
  #readiness = deferred();
  #wake = () => {};

  /**
   * @param {ProcessSpec} spec
   * @param {{ log: import('./process-log.mjs').ProcessLog, report: (event: SupervisionEvent) => void }} ports
   */
  constructor(spec, { log, report }) {
    this.#spec = spec;
    this.#log = log;
    this.#report = report;
  }

  get name() {
    return this.#spec.name;
  }

  get service() {
    return this.#spec.service ?? this.#spec.name;
  }

  get index() {
    return this.#spec.index ?? 0;
  }

  get state() {
    return this.#state;
  }

  get pid() {
    return this.#child?.pid ?? null;
  }

  /** What `ready` said; empty while the process is not ready. */
  get details() {
    return this.#state === 'ready' ? this.#details : {};
  }

  /** Resolves when the process is ready for the first time after this call; rejects when it is given up or stopped. */
  start() {
    if (this.#loop === null) {
      this.#wanted = true;
      this.#failures = 0;
      this.#readiness = deferred();
      this.#loop = this.#keepUp().finally(() => {
        this.#loop = null;
      });
    }
    return this.#readiness.promise;
  }

  /** Resolves when the process has ended, and will not be started again. */
  async stop() {
    this.#wanted = false;
    this.#wake();
    const { stopSignal = 'SIGTERM', stopTimeoutMs = 15_000 } = this.#spec;
    if (this.#child?.pid) {
      this.#state = 'stopping';
      sendSignal(this.#child.pid, stopSignal);
    }
    const timer = setTimeout(() => this.kill(), stopTimeoutMs);
    await this.#loop;
    clearTimeout(timer);
    if (this.#state !== 'failed') this.#state = 'stopped';
  }

  /** Ends it at once, with whatever it started in its process group. Unless `stop` was called, it is started again. */
  kill() {
    if (!this.#child?.pid) return;
    sendSignal(-this.#child.pid, 'SIGKILL');
  }

  async #keepUp() {
    while (this.#wanted) {
      const exit = await this.#runOnce();
      if (!this.#wanted) break;
      const isOwnFault = this.#spec.ownFaultOf?.(exit) !== undefined;
      this.#failures = this.#wasSteady() ? 1 : this.#failures + 1;
      if (!isOwnFault && this.#isHopeless(exit)) return this.#giveUp(exit);
      const backOff = this.#spec.backOff ?? standardBackOff;
      const maxMs = isOwnFault ? Math.min(backOff.maxMs, ownFaultMaxMs) : backOff.maxMs;
      const delayMs = backOffMs(this.#failures, { ...backOff, maxMs });
      this.#state = 'waiting';
      this.#tell('restarting', { exit, delayMs, lines: this.#log.lastLines() });
      await this.#pause(delayMs);
    }
    this.#state = 'stopped';
    this.#readiness.reject(new StackFault(`${this.name} was stopped before it was ready.`));
    this.#tell('stopped');
  }

  /** @returns {Promise<Exit>} */
  async #runOnce() {
    const ending = new AbortController();
    this.#readyAt = 0;
    this.#state = 'starting';
    try {
      await this.#spec.prepare?.();
      if (!this.#wanted) return { code: null, signal: null };
      this.#child = this.#spec.spawn();
      this.#log.attach(this.#child);
      const exited = exitOf(this.#child);
      this.#tell('starting');
      const readiness = this.#awaitReady(this.#child, ending.signal);
      const exit = await exited;
      ending.abort();
      await readiness;
      return exit;
    } catch (error) {
      return { code: null, signal: null, error: error instanceof Error ? error : new Error(String(error)) };
    } finally {
      this.#child = null;
    }
  }

  /**
   * @param {import('node:child_process').ChildProcess} child
   * @param {AbortSignal} signal
   */
  async #awaitReady(child, signal) {
    try {
      const details = await this.#spec.ready(child, signal);
      if (signal.aborted || !this.#wanted) return;
      this.#details = details;
      this.#readyAt = Date.now();
      this.#state = 'ready';
      this.#wasReady = true;
      this.#tell('ready');
      this.#readiness.resolve();
    } catch (error) {
      if (signal.aborted) return;
      this.#log.add(`not ready: ${error instanceof Error ? error.message : String(error)}`);
      this.kill();
    }
  }

  #wasSteady() {
    const { steadyMs } = this.#spec.backOff ?? standardBackOff;
    return this.#readyAt > 0 && Date.now() - this.#readyAt >= steadyMs;
  }

  /** @param {Exit} exit */
  #isHopeless(exit) {
    if (this.#wasReady) return false;
    return exit.code === configurationExit || this.#failures >= (this.#spec.maxStartFailures ?? 5);
  }

  /** @param {Exit} exit */
  #giveUp(exit) {
    this.#wanted = false;
    this.#state = 'failed';
    const lines = this.#log.lastLines();
    const text = [`${this.name} does not start: it ${describeExit(exit)}.`, ...lines.map((line) => `  ${line}`)];
    this.#readiness.reject(new StackFault(text.join('\n')));
    this.#tell('failed', { exit, lines });
  }

  /** @param {number} delayMs */
  #pause(delayMs) {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), delayMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }

  /**
   * @param {SupervisionEvent['type']} type
   * @param {Partial<SupervisionEvent>} [facts]
   */
  #tell(type, facts = {}) {
    this.#report({ type, process: this, ...facts });
  }
}

/**
 * @param {number} failures in a row, from 1
 * @param {BackOff} backOff
 */
export function backOffMs(failures, { firstMs, maxMs }) {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1));
}

/** @param {Exit} exit */
export function describeExit({ code, signal, error }) {
  if (error) return `could not be started: ${error.message}`;
  return signal ? `was ended by ${signal}` : `exited with code ${code}`;
}

/**
 * Its last words count, so it waits for the pipes to close; but not for ever: a grandchild may hold them.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<Exit>}
 */
function exitOf(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('exit', (code, signal) => {
      const timer = setTimeout(() => resolve({ code, signal }), 200);
      child.once('close', () => {
        clearTimeout(timer);
        resolve({ code, signal });
      });
    });
  });
}

function deferred() {
  let resolve = () => {};
  let reject = (/** @type {Error} */ _reason) => {};
  const promise = /** @type {Promise<void>} */ (
    new Promise((onResolve, onReject) => {
      resolve = () => onResolve(undefined);
      reject = onReject;
    })
  );
  promise.catch(() => {}); // Whoever waits hears of it; nobody has to wait.
  return { promise, resolve, reject };
}
