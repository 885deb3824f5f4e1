import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from './work-copy.mjs';

/**
 * @typedef {object} Play what libs/kafka/test/simulation/explore.ts reports
 * @property {number} seed
 * @property {number} schedules how many were played; the last one is the one that failed
 * @property {number} records
 * @property {number} tookMs
 * @property {{ path: string, violations: { invariant: string, what: string }[] }} [failure]
 */

/** A run that takes longer hangs. */
const timeoutMs = 30 * 60_000;

/**
 * Plays schedules in a process of its own, until one fails or all are played.
 * @param {string} folder of the work copy
 * @param {{ schedules: number, seed: number }} options
 * @returns {Promise<Play>}
 */
export async function play(folder, { schedules, seed }) {
  const hooks = join(repositoryRoot, 'libs/kafka/test/fixtures/from-source.mjs');
  const program = join(folder, 'libs/kafka/test/simulation/run-simulation.ts');
  const child = spawn(process.execPath, ['--conditions=@anabranch/source', '--import', hooks, program], {
    env: { ...process.env, ANABRANCH_SIM_SCHEDULES: String(schedules), ANABRANCH_SIM_SEED: String(seed) },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const code = await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  if (code !== 0) throw new Error(`the simulation ended with ${code}: ${stderr.slice(0, 2_000)}`);
  const report = JSON.parse(stdout);
  if (report.schedules === 0 || report.records === 0) throw new Error('the simulation played nothing');
  return report;
}
