// `kill -9` of each service under a trickle of documents: from the start of the new process to its first work.
import { analysisTopic, analysisTopics } from '@anabranch/contracts';
import { followTopics } from '../enriched.mjs';
import { startOf } from '../process-tree.mjs';
import { allEnriched, check, openWorld } from '../world.mjs';
import { post } from './door.mjs';

export const help = 'kill -9 of each service: from the start of the new process to its first work';

const limitMs = 2_000;
// A single document costs some tens of milliseconds of processor time: more of them, and what is measured is a queue.
const everyMs = 100;
const giveUpAfterMs = 20_000;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {import('../world.mjs').PartOptions} options */
export async function run({ compact, watch }) {
  const world = await openWorld({ compact, isKilled: true });
  watch(world);
  try {
    const followed = await followTopics(world.book, [
      'document.enriched',
      ...analysisTopics.map((topic) => topic.name),
    ]);
    world.appended = followed.appended;
    const names = world.platform.services.map(({ name }) => name);
    const trickle = startTrickle(world, 'trickle');
    await sleep(2_000);
    const found = {};
    for (const name of names) found[name] = await killAndWait(world, name);
    const documents = await trickle.stop();
    await followed.stop();
    await allEnriched(world, { run: 'trickle', documents });
    await check(world, { run: 'trickle', documents });
    return report(found, world.violations);
  } finally {
    await world.close();
  }
}

/** A document every now and then, through Kafka, so that each service has work when it is back. */
function startTrickle({ feeder }, run) {
  let documents = 0;
  const sent = [];
  const timer = setInterval(() => sent.push(feeder.call('publish', { run, number: documents++ })), everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(sent);
      return documents;
    },
  };
}

/** From the start of the process that comes after the kill to what it did first, in milliseconds. */
async function killAndWait(world, name) {
  const killed = world.platform.services.find((service) => service.name === name).pid;
  const workAt = watchWork(world, name);
  process.kill(killed, 'SIGKILL');
  const giveUpAt = performance.now() + giveUpAfterMs;
  while (performance.now() < giveUpAt) {
    await sleep(100);
    const pid = world.platform.services.find((service) => service.name === name)?.pid;
    if (pid === undefined || pid === killed) continue;
    const startedAt = startOf(pid);
    const first = await workAt(startedAt);
    if (first !== null) return first - startedAt;
  }
  return Infinity;
}

/** How work of a service is seen from outside: ingestion answers, all others publish. */
function watchWork(world, name) {
  if (name === 'ingestion') return watchDoor(world);
  const topic = name === 'collection' || name === 'services' ? 'document.enriched' : analysisTopic(name);
  return async (since) => world.appended.get(topic)?.find((at) => at > since) ?? null;
}

let posted = 0;

function watchDoor(world) {
  const answered = [];
  const ask = async () => {
    await post(world.book, 'restart', posted++).then(
      () => answered.push(Date.now()),
      () => {},
    );
    if (answered.length === 0 || answered.at(-1) < doneAt) setTimeout(ask, 10);
  };
  let doneAt = Infinity;
  void ask();
  return async (since) => {
    const first = answered.find((at) => at > since) ?? null;
    if (first !== null) doneAt = 0;
    return first;
  };
}

function report(found, violations) {
  const rows = Object.entries(found).map(([name, ms]) => ({
    figure: `${name}: from its start to its first work after kill -9`,
    value: `${Math.round(ms)} ms`,
    target: `≤ ${limitMs} ms`,
    holds: ms <= limitMs,
  }));
  const figures = Object.fromEntries(Object.entries(found).map(([name, ms]) => [name, Math.round(ms)]));
  return { figures, rows, violations, isWallClock: true };
}
