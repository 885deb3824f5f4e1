// Processes of the bench: each answers commands over its channel, so that what it costs is its own and nobody else's.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { repositoryRoot } from '../../tools/stack/settings.mjs';
import { serviceNode } from '../../tools/stack/services.mjs';

/** @type {Set<Child>} */
const running = new Set();

/** Those that run now. */
export const runningPids = () => [...running].map(({ pid }) => pid);

/** Ends whatever still runs. */
export const killChildren = () => running.forEach((child) => child.kill());

export class Child {
  #process;
  #pending = new Map();
  #nextId = 0;
  #listeners = new Set();

  /**
   * @param {string} program file name, beside this one
   * @param {string} [args] its one argument
   * @param {NodeJS.ProcessEnv} [env] beside this process's own
   */
  constructor(program, args = '', env = {}) {
    const file = fileURLToPath(new URL(program, import.meta.url));
    const options = {
      execPath: serviceNode(repositoryRoot),
      execArgv: [],
      cwd: repositoryRoot,
      env: { ...process.env, ...env },
    };
    this.#process = fork(file, [args], options);
    running.add(this);
    this.#process.on('message', (message) => this.#receive(message));
    this.exited = new Promise((resolve) => this.#process.once('exit', resolve)).then(() => this.#end(program));
  }

  get pid() {
    return this.#process.pid;
  }

  /** Resolves with what the child answers to a command. */
  call(name, argument = {}) {
    const id = this.#nextId++;
    const answer = Promise.withResolvers();
    this.#pending.set(id, answer);
    this.#process.send({ id, name, argument });
    return answer.promise;
  }

  /** What the child tells without having been asked. */
  onTold(listener) {
    this.#listeners.add(listener);
  }

  kill() {
    this.#process.kill('SIGKILL');
  }

  async stop() {
    this.#process.disconnect();
    await this.exited;
  }

  #receive({ id, answer, error, told }) {
    if (told !== undefined) return this.#listeners.forEach((listener) => listener(told));
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(answer);
    else pending?.reject(new Error(error));
  }

  #end(program) {
    running.delete(this);
    for (const { reject } of this.#pending.values()) reject(new Error(`${program} ended before it answered`));
  }
}

/**
 * In the child: answers commands by their names until the parent goes.
 * @param {Record<string, (argument: any) => Promise<unknown>>} commands
 */
export function answer(commands) {
  process.on('message', async ({ id, name, argument }) => {
    try {
      process.send?.({ id, answer: (await commands[name](argument)) ?? null });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.once('disconnect', () => process.exit(0));
}

/** In the child: tells the parent something. */
export const tell = (what) => process.send?.({ told: what });
