// The set of supervised processes: started and stopped in order, singly or all.
import { join } from 'node:path';
import { StackFault } from './fault.mjs';
import { infrastructureNames, isInfrastructure } from './infra/names.mjs';
import { createProcessLog } from './run/process-log.mjs';
import { Supervised } from './run/supervised.mjs';

/**
 * @typedef {object} StackOptions
 * @property {string} logFolder
 * @property {(name: string, line: string) => void} show
 * @property {(event: import('./run/supervised.mjs').SupervisionEvent) => void} report
 */

export class Stack {
  /** @type {Map<string, { process: Supervised, log: import('./run/process-log.mjs').ProcessLog }>} */ #parts =
    new Map();
  #options;

  /** @param {StackOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /**
   * @param {import('./run/supervised.mjs').ProcessSpec} spec
   * @returns {Supervised}
   */
  add(spec) {
    const { logFolder, show, report } = this.#options;
    const log = createProcessLog({ file: join(logFolder, `${spec.name}.log`), show: (line) => show(spec.name, line) });
    const process = new Supervised(spec, { log, report });
    this.#parts.set(spec.name, { process, log });
    return process;
  }

  /** @returns {Supervised[]} */
  get processes() {
    return [...this.#parts.values()].map(({ process }) => process);
  }

  /** @param {string} name */
  find(name) {
    return this.#parts.get(name)?.process;
  }

  /**
   * @param {string} name a process, or a service with all its instances
   * @returns {Supervised[]}
   */
  named(name) {
    const exact = this.find(name);
    const instances = this.processes.filter(({ service }) => service === name);
    const found = instances.length > 0 ? instances : exact ? [exact] : [];
    if (found.length === 0)
      throw new StackFault(`There is no "${name}" here. There are: ${[...this.#parts.keys()].join(', ')}`);
    return found;
  }

  /** Services first, side by side: they drain into what still runs. Then the infrastructure, one after the other. */
  async stopAll() {
    const services = this.processes.filter(({ name }) => !isInfrastructure(name));
    await Promise.all(services.map((process) => process.stop()));
    for (const name of infrastructureNames) await this.find(name)?.stop();
    await Promise.all([...this.#parts.values()].map(({ log }) => log.close()));
  }

  /** At once, in no order. `stopAll` must have been called, or they are started again. */
  killAll() {
    for (const process of this.processes) process.kill();
  }
}
