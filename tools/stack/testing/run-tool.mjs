import { spawn } from 'node:child_process';
import { StackFault } from '../fault.mjs';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let isInterrupted = false;

/** The command was interrupted: asks every tool that runs now to end, and starts no other. */
export function endTools() {
  isInterrupted = true;
  for (const child of running) child.kill('SIGTERM');
}

/**
 * Runs a tool whose output is shown as it comes.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, timeoutMs: number }} options
 * @returns {Promise<{ code: number, output: string }>} output: what it wrote to standard output
 */
export function runTool(command, args, { cwd, env, timeoutMs }) {
  return new Promise((resolve, reject) => {
    if (isInterrupted) return resolve({ code: 1, output: '' });
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
    running.add(child);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      process.stdout.write(text);
    });
    const timer = setTimeout(() => {
      console.error(`\n${command} ${args.join(' ')}\ntook longer than ${timeoutMs / 60_000} minutes and is ended.`);
      child.kill('SIGKILL');
    }, timeoutMs);
    const finish = () => {
      clearTimeout(timer);
      running.delete(child);
    };
    child.once('error', (error) => {
      finish();
      reject(new StackFault(`${command} could not be started: ${error.message}`));
    });
    child.once('close', (code) => {
      finish();
      resolve({ code: code ?? 1, output });
    });
  });
}
