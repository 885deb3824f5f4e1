// A peer that runs: its engine, one worker process, and runs that are measured and checked.
import { Child } from '../consumer/child.mjs';
import { percentile, rounded } from '../consumer/statistics.mjs';
import { treeSeconds } from '../platform/process-tree.mjs';
import { freePorts } from '../../tools/stack/run/ports.mjs';
import { analyses } from './job.mjs';

const portsOfOne = 4;
const giveUpAfterMs = 150_000;
const trailingMs = 300;

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const numbersTo = (count) => Array.from({ length: count }, (_, number) => number);

/**
 * @param {{ open: (options: { ports: number[] }) => Promise<object> }} peer
 * @param {{ slow?: object | null, concurrency: number }} options
 */
export async function openWorld(peer, { slow = null, concurrency }) {
  const engine = await peer.open({ ports: await freePorts(portsOfOne) });
  const options = JSON.stringify({ ...engine.worker.options, slow, concurrency });
  const world = {
    engine,
    worker: null,
    violations: [],
    processes: () => [...engine.processes(), { name: 'worker', pid: world.worker.pid }],
    /** The worker's process; resolves when it is ready. */
    async startWorker() {
      world.worker = new Child(engine.worker.program, options);
      await world.worker.call('ready');
      await engine.worker.onReady?.(world.worker);
    },
    async close() {
      world.worker?.kill();
      await engine.close();
    },
  };
  try {
    await world.startWorker();
  } catch (error) {
    await world.close();
    throw error;
  }
  return world;
}

/** When the last of so many documents was settled, in epoch milliseconds; those that are missing are found by the check. */
export function whenSettled({ engine }, run, numbers) {
  const giveUp = new Promise((resolve) => setTimeout(() => resolve(Date.now()), giveUpAfterMs).unref());
  return Promise.race([engine.whenSettled(run, numbers), giveUp]);
}

/** Notes what a run broke: each document settled once, with five outcomes; in a healthy run, five calls for each. */
export async function check(world, { run, documents, calls = null }) {
  const results = (await world.engine.results(run)).filter(Boolean);
  const ids = new Set(results.map(({ documentId }) => documentId));
  const complete = results.filter(
    ({ outcomes }) =>
      new Set(outcomes.map(({ analysis, status }) => status === 'DONE' && analysis)).size === analyses.length,
  );
  const expectations = [
    ['settlements', documents, results.length],
    ['documents that are settled', documents, ids.size],
    ['documents with five outcomes', documents, complete.length],
    ...(calls === null ? [] : [['calls of the model', documents * analyses.length, calls]]),
  ];
  for (const [what, expected, found] of expectations)
    if (expected !== found) world.violations.push(`${run}: ${what}: ${found} instead of ${expected}`);
}

const totalSeconds = (world) => [...treeSeconds(world.processes()).values()].reduce((sum, each) => sum + each, 0);

/** A backlog that waits in the engine when the worker goes on: it is held meanwhile. */
export async function runBacklog(world, { run, documents }) {
  const numbers = numbersTo(documents);
  const before = await world.worker.call('seen');
  process.kill(world.worker.pid, 'SIGSTOP');
  try {
    await world.engine.fill(run, numbers);
  } finally {
    process.kill(world.worker.pid, 'SIGCONT');
  }
  const secondsBefore = totalSeconds(world);
  const beganAt = Date.now();
  const lastAt = await whenSettled(world, run, numbers);
  await sleep(trailingMs);
  const cpu = ((totalSeconds(world) - secondsBefore) / documents) * 1_000;
  const { calls, slowestMs } = await world.worker.call('seen');
  await check(world, { run, documents, calls: calls - before.calls });
  const seconds = (lastAt - beganAt) / 1_000;
  return { documents, seconds, perSecond: documents / seconds, cpu, slowestMs };
}

/** Times of documents that come one at a time, from submission to the result at the client, in milliseconds. */
export async function oneByOne(world, { run, documents }) {
  const times = [];
  for (const number of numbersTo(documents)) {
    const beganAt = performance.now();
    await world.engine.call(run, number);
    times.push(performance.now() - beganAt);
    // Not in step with anybody's timer.
    await sleep(20 * (0.5 + Math.random()));
  }
  await check(world, { run, documents });
  return { p50: rounded(percentile(times, 0.5)), p99: rounded(percentile(times, 0.99)) };
}
