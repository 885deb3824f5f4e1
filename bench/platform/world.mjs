// What the parts of the bench work with: a platform, its doors, and runs that are measured and checked.
import { treeSeconds } from './process-tree.mjs';
import { Child } from '../consumer/child.mjs';
import { listen } from './enriched.mjs';
import { violationsOf } from './invariants.mjs';
import { startPlatform } from './platform.mjs';

/**
 * What a part gets.
 * @typedef {object} PartOptions
 * @property {boolean} compact all services in one process
 * @property {number} rounds that count; one more is made first
 * @property {(count: number, least?: number) => number} scaled a count of documents at the scale of this run
 * @property {(world: Awaited<ReturnType<typeof openWorld>>) => void} watch called when a platform is up
 */

const giveUpAfterMs = 150_000;
const trailingMs = 300;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {Parameters<typeof startPlatform>[0]} options */
export async function openWorld(options = {}) {
  const platform = await startPlatform(options);
  const { book } = platform;
  const feeder = new Child(new URL('feeder.mjs', import.meta.url).href);
  await feeder.call('open', book);
  const world = {
    platform,
    book,
    isGated: options.isGated ?? true,
    isKilled: options.isKilled ?? false,
    feeder,
    listener: await listen(book),
    violations: [],
    atEnd: () => {},
    async close() {
      world.atEnd();
      feeder.kill();
      await world.listener.stop();
      await platform.stop();
    },
  };
  return world;
}

/** Notes what a run broke. */
export async function check(world, expected) {
  world.violations.push(...(await violationsOf(world, expected)).map((fault) => `${expected.run}: ${fault}`));
}

/** Counts and times are those of the broker: when the last record of the run was appended. */
export async function allEnriched({ listener: { records } }, { run, documents, isDone = () => true }) {
  const giveUpAt = performance.now() + giveUpAfterMs;
  for (;;) {
    let count = 0;
    let lastAt = 0;
    for (const [documentId, own] of records) {
      if (!documentId.startsWith(`${run}-`) || !isDone(own)) continue;
      count++;
      lastAt = Math.max(lastAt, own.at(-1).appendedAt);
    }
    if (count >= documents || performance.now() > giveUpAt) return lastAt;
    await sleep(20);
  }
}

/** Seconds by process, for so many documents. */
function perThousand(before, after, documents) {
  const entries = [...after].map(([name, seconds]) => [
    name,
    ((seconds - (before.get(name) ?? 0)) / documents) * 1_000,
  ]);
  return { byProcess: Object.fromEntries(entries), total: entries.reduce((sum, [, seconds]) => sum + seconds, 0) };
}

/** Lets work go on, and measures it until the last document of the run is enriched. */
export async function measure(world, { run, documents, begin, isDone }) {
  const { platform } = world;
  const before = treeSeconds(platform.processes);
  const beganAt = Date.now();
  await begin();
  const lastAt = await allEnriched(world, { run, documents, isDone });
  await sleep(trailingMs);
  const cpu = perThousand(before, treeSeconds(platform.processes), documents);
  const seconds = (lastAt - beganAt) / 1_000;
  return { documents, seconds, perSecond: documents / seconds, cpu };
}

/** To all services, at once. */
export const signalServices = ({ platform }, signal) =>
  platform.services.forEach(({ pid }) => process.kill(pid, signal));

/** A backlog that waits on Kafka when the services begin to fetch: they are held meanwhile. */
export async function runBacklog(world, { run, documents }) {
  signalServices(world, 'SIGSTOP');
  try {
    await world.feeder.call('fill', { run, count: documents });
  } catch (error) {
    signalServices(world, 'SIGCONT');
    throw error;
  }
  const figures = await measure(world, { run, documents, begin: async () => signalServices(world, 'SIGCONT') });
  await check(world, { run, documents });
  return figures;
}

/** Three revisions of each of some documents at once, besides what is measured: order, and that newer wins. */
export async function runRevisions(world, { run, documents }) {
  const revisions = 3;
  await world.feeder.call('fill', { run, count: documents, revisions });
  const isDone = (records) => records.length >= revisions;
  await allEnriched(world, { run, documents, isDone });
  await check(world, { run, documents, revisions });
}
