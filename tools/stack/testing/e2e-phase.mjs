import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stopEverything } from '../commands/stop.mjs';
import { StackFault } from '../fault.mjs';
import { isFile } from '../files.mjs';
import { waitFor } from '../run/wait.mjs';
import { serviceNode } from '../services.mjs';
import { statePaths } from '../state.mjs';
import { runJest } from './jest.mjs';
import { scratchEnvironment } from './scratch.mjs';

const startTimeoutMs = 5 * 60_000;

/**
 * End-to-end specs, against the whole platform as `npm start` brings it up. They find it in ANABRANCH_E2E_STATE, and take
 * parts of it down and up with the command line, which finds it by the same environment.
 * @param {import('./scratch.mjs').TestContext} context
 * @param {string[]} patterns
 */
export async function runEndToEndSpecs({ root, env, scratch }, patterns) {
  const stateDir = join(scratch, 'e2e');
  const paths = statePaths(stateDir);
  const stackEnv = await scratchEnvironment(env, stateDir);
  const output = join(paths.logs, 'launcher.log');
  try {
    await startPlatform({ root, env: stackEnv, output, readyFile: paths.local });
    const tally = await runJest(root, {
      kind: 'e2e',
      patterns,
      env: { ...stackEnv, ANABRANCH_E2E_STATE: paths.local },
    });
    if (tally.failed > 0) showEnd(output);
    return tally;
  } finally {
    await stopEverything(paths, () => {});
  }
}

/** @param {{ root: string, env: NodeJS.ProcessEnv, output: string, readyFile: string }} options */
async function startPlatform({ root, env, output, readyFile }) {
  mkdirSync(dirname(output), { recursive: true });
  const file = openSync(output, 'a');
  const cli = join(root, 'tools', 'stack', 'cli.mjs');
  const child = spawn(serviceNode(root), [cli, 'start', '--no-build'], {
    cwd: root,
    env,
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  child.once('error', () => ended.abort());
  try {
    const what = 'the platform, to become ready,';
    await waitFor(() => (isFile(readyFile) ? true : null), { signal: ended.signal, timeoutMs: startTimeoutMs, what });
  } catch (cause) {
    showEnd(output);
    throw new StackFault('The platform did not come up: its output is above.', { cause });
  }
}

/** @param {string} output */
function showEnd(output) {
  const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
  console.log(`\nThe end of the platform's output:\n${lines.slice(-80).join('\n')}\n`);
}
