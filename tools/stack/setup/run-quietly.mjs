import { spawn } from 'node:child_process';
import { StackFault } from '../fault.mjs';

/**
 * Runs a program whose output matters only when it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, what: string, input?: string, uid?: number, gid?: number }} options
 *   what: the failure in a few words
 * @returns {Promise<string>} what it wrote to standard output
 */
export function runQuietly(command, args, { what, input = '', ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    const end = () => child.kill();
    process.once('exit', end);
    const output = { stdout: '', all: '' };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output.stdout += text;
      output.all += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output.all += text;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.once('error', (error) => reject(new StackFault(`${what}: ${error.message}`, { cause: error })));
    child.once('close', (code, signal) => {
      process.off('exit', end);
      if (code === 0) resolve(output.stdout);
      else reject(new StackFault(`${what} (${signal ?? `exit code ${code}`}):\n${bothEnds(output.all)}`));
    });
  });
}

/**
 * The cause of a failure stands at the beginning or at the end.
 * @param {string} text
 */
function bothEnds(text) {
  const lines = text.trimEnd().split('\n');
  return lines.length <= 50 ? lines.join('\n') : [...lines.slice(0, 25), '…', ...lines.slice(-25)].join('\n');
}
