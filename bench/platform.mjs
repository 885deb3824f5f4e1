// `npm run bench:platform -- [--only throughput,idle] [--compact] [--scale 0.2]`: the whole platform's figures, on a platform
// of its own. By hand, never part of the tests. `--help` says more.
import { resolve } from 'node:path';
import { readOptions } from '../tools/command-line.mjs';
import { readSettings } from '../tools/stack/settings.mjs';
import { setUp } from '../tools/stack/setup/set-up.mjs';
import { describeParts, namesOf, runBench } from './parts.mjs';
import { watchMachine } from './consumer/machine.mjs';
import { printReport } from './consumer/report.mjs';
import { stopPlatforms } from './platform/platform.mjs';
import { treePids } from './platform/process-tree.mjs';

const parts = {
  throughput: () => import('./platform/parts/throughput.mjs'),
  'no-gate': () => import('./platform/parts/no-gate.mjs'),
  idle: () => import('./platform/parts/idle.mjs'),
  burst: () => import('./platform/parts/burst.mjs'),
  door: () => import('./platform/parts/door.mjs'),
  growth: () => import('./platform/parts/growth.mjs'),
  restart: () => import('./platform/parts/restart.mjs'),
  crash: () => import('./platform/parts/crash.mjs'),
};

const durability = 'class A: what was accepted survives the crash of a process (Postgres with fsync, Kafka without)';

async function usage() {
  return `npm run bench:platform -- [--only PART,…] [--compact] [--scale 1] [--rounds 3]

Figures of the whole platform, each part on a platform of its own; brings up what it needs. Prints JSON and a table. A run
whose documents were not all settled once, complete and in order does not count, and ends with exit code 1.
Durability: ${durability}.

  --only PART,…   some parts alone:
${await describeParts(parts)}
  --compact       all services in one process, instead of one process per service
  --scale 0.2     with so many documents; below 1 the figures are only a try
  --profile DIR   processor profiles of all services, written when they stop; figures are then worth less
  --rounds 3      so many rounds of what is repeated; one more is made first and does not count`;
}

const values = await readOptions({
  usage,
  numbers: ['scale', 'rounds'],
  options: {
    only: { type: 'string', default: Object.keys(parts).join() },
    compact: { type: 'boolean', default: false },
    scale: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    profile: { type: 'string' },
  },
});

async function main() {
  if (values.profile) process.env.BENCH_PROFILE = resolve(values.profile);
  const names = namesOf(values.only, Object.keys(parts));
  await setUp(readSettings(process.env), { say: console.error, build: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => void stopPlatforms().then(() => process.exit(1)));
  try {
    const results = {};
    for (const name of names) results[name] = await measure(name);
    const counts = 'Every document was settled once, complete and in order.';
    process.exitCode = printReport(results, { durability, hosting: values.compact ? 'compact' : 'separate' }, counts)
      ? 0
      : 1;
  } finally {
    await stopPlatforms();
  }
}

async function measure(name) {
  console.error(`${name} …`);
  const { run } = await parts[name]();
  const scale = Number(values.scale);
  let machine;
  const result = await run({
    compact: values.compact,
    rounds: Number(values.rounds),
    /** A count of documents at the scale of this run. */
    scaled: (count, least = 1) => Math.max(least, Math.round(count * scale)),
    /** Called when a platform is up: bringing it up and taking it down is not measured. */
    watch: (world) => {
      const watched = watchMachine(() => treePids(world.platform.processes.map(({ pid }) => pid)));
      world.atEnd = () => (machine = watched.end());
    },
  });
  return { ...result, machine };
}

await runBench(main);
