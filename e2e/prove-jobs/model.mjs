// The model's server, in a process of its own: when a call came must not depend on how busy the proof is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { repositoryRoot } from '../../tools/stack/settings.mjs';

/**
 * @typedef {object} Model
 * @property {string} baseUrl
 * @property {() => Promise<any[]>} calls its own log
 * @property {() => Promise<void>} close
 */

/**
 * @param {object} behaviour what it does with every call
 * @returns {Promise<Model>}
 */
export async function startModel(behaviour) {
  const program = join(repositoryRoot, 'libs/language-model/dist/testing/run-fake-server.js');
  const script = JSON.stringify({ always: behaviour });
  const child = spawn(process.execPath, [program, '--script', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [line] = await once(createInterface(child.stdout), 'line');
  const { baseUrl } = JSON.parse(line);
  return {
    baseUrl,
    calls: async () => {
      const log = await (await fetch(new URL('/calls', baseUrl))).text();
      return log
        .split('\n')
        .filter(Boolean)
        .map((call) => JSON.parse(call));
    },
    close: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
