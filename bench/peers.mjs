// `npm run bench:peers -- [--only bullmq,restate] [--parts throughput,idle] [--scale 0.2]`: the same job with other engines,
// beside Anabranch, on the same machine. By hand, never part of the tests. `--help` says more.
import { readOptions } from '../tools/command-line.mjs';
import { StackFault } from '../tools/stack/fault.mjs';
import { readSettings } from '../tools/stack/settings.mjs';
import { setUp } from '../tools/stack/setup/set-up.mjs';
import { namesOf, runBench } from './parts.mjs';
import { killChildren } from './consumer/child.mjs';
import { watchMachine } from './consumer/machine.mjs';
import { printReport } from './consumer/report.mjs';
import { installPeers } from './peers/install.mjs';
import { stopPlatforms } from './platform/platform.mjs';
import { treePids } from './platform/process-tree.mjs';

// Services refuse settings that they do not know.
process.env.BENCH_REDIS = process.env.ANABRANCH_BENCH_REDIS ?? '';
delete process.env.ANABRANCH_BENCH_REDIS;

const peers = {
  anabranch: null,
  bullmq: () => import('./peers/bullmq/peer.mjs'),
  restate: () => import('./peers/restate/peer.mjs'),
  dbos: () => import('./peers/dbos/peer.mjs'),
};
const partNames = ['throughput', 'idle', 'burst', 'crash'];

const usage = `npm run bench:peers -- [--only PEER,…] [--parts PART,…] [--scale 1] [--rounds 3] [--turns 2]

One job (2 kB, five analyses that ask a model in the worker, one durable result) with Anabranch, BullMQ, Restate and DBOS.
Installs them into bench/peers/node_modules on first use. BullMQ needs redis-server, on the PATH or by
ANABRANCH_BENCH_REDIS=path. A run whose documents were not all settled once, with five outcomes, ends with exit code 1.

  --only PEER,…   of ${Object.keys(peers).join(', ')}
  --parts PART,…  of ${partNames.join(', ')}
  --scale 0.2     with so many documents; below 1 the figures are only a try
  --rounds 3      so many rounds of what is repeated; one more is made first and does not count
  --turns 2       so often each has its turn; every second time in the opposite order`;

const values = await readOptions({
  usage,
  numbers: ['scale', 'rounds', 'turns'],
  options: {
    only: { type: 'string', default: Object.keys(peers).join() },
    parts: { type: 'string', default: partNames.join() },
    scale: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    turns: { type: 'string', default: '2' },
  },
});

/** Those that can run here; a peer that lacks something is left out by name. */
async function loadPeers(names) {
  const loaded = [];
  for (const name of names) {
    try {
      const peer = await peers[name]?.();
      peer?.requireParts();
      loaded.push({ name, peer });
    } catch (error) {
      console.error(`${name} is left out. ${error.message}`);
    }
  }
  if (loaded.length === 0) throw new StackFault('Nothing is left to measure.');
  return loaded;
}

/** Anabranch by its own bench, a peer by ours. */
async function measure(partName, { name, peer }) {
  const { run } = peer
    ? (await import('./peers/parts.mjs')).parts[partName]
    : await import(`./platform/parts/${partName}.mjs`);
  const scale = Number(values.scale);
  let watched;
  let machine;
  const options = {
    compact: false,
    rounds: Number(values.rounds),
    scaled: (count, least = 1) => Math.max(least, Math.round(count * scale)),
    watch: (world) => {
      const processes = () => world.platform?.processes ?? world.engine.processes();
      watched = watchMachine(() => treePids(processes().map(({ pid }) => pid)));
      const close = world.close;
      world.close = () => {
        machine = watched.end();
        return close();
      };
    },
  };
  console.error(`${partName}: ${name} …`);
  const result = await (peer ? run(peer, options) : run(options));
  return { ...result, machine };
}

async function main() {
  const names = namesOf(values.only, Object.keys(peers));
  const wanted = namesOf(values.parts, partNames);
  await setUp(readSettings(process.env), { say: console.error, build: true });
  await installPeers(console.error);
  const loaded = await loadPeers(names);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      killChildren();
      void stopPlatforms().then(() => process.exit(1));
    });
  const results = {};
  for (const part of wanted)
    for (let turn = 1; turn <= Number(values.turns); turn++)
      for (const each of turn % 2 ? loaded : loaded.toReversed())
        results[`${part} ${each.name} ${turn}`] = await measure(part, each);
  const about = Object.fromEntries(loaded.flatMap(({ name, peer }) => (peer ? [[name, peer.about]] : [])));
  const counts = 'Every document was settled once, with five outcomes.';
  process.exitCode = printReport(results, { peers: about }, counts) ? 0 : 1;
}

await runBench(main).finally(stopPlatforms);
process.exit();
