// `npm run bench:consumer -- [--only cell,overhead] [--scale 0.2]`: the consumer runtime's figures, on a Kafka and registry
// of its own. By hand, never part of the tests. `--help` says more.
import { readOptions } from '../tools/command-line.mjs';
import { readSettings } from '../tools/stack/settings.mjs';
import { setUp } from '../tools/stack/setup/set-up.mjs';
import { describeParts, namesOf, runBench } from './parts.mjs';
import { createContext } from './consumer/context.mjs';
import { watchMachine } from './consumer/machine.mjs';
import { printReport } from './consumer/report.mjs';
import { startStack } from './consumer/stack.mjs';

const parts = {
  cell: () => import('./consumer/parts/cell.mjs'),
  'in-flight': () => import('./consumer/parts/in-flight.mjs'),
  latency: () => import('./consumer/parts/latency.mjs'),
  restart: () => import('./consumer/parts/restart.mjs'),
  overhead: () => import('./consumer/parts/overhead.mjs'),
};

async function usage() {
  return `npm run bench:consumer -- [--only PART,…] [--match NAME] [--scale 1] [--pairs 7]

Figures of the consumer runtime, on a Kafka and a schema registry of its own; brings up what it needs. Prints JSON and a
table. A run whose records were not all handled once and in order does not count, and ends with exit code 1.

  --only PART,…   some parts alone:
${await describeParts(parts)}
  --match NAME    of cell and in-flight only the figures whose names match, a regular expression such as '^10 ms'
  --scale 0.2     with so many records; below 1 the figures are only a try
  --pairs 7       so many pairs of runs; one more is made first and does not count`;
}

const values = await readOptions({
  usage,
  numbers: ['scale', 'pairs'],
  options: {
    only: { type: 'string', default: Object.keys(parts).join() },
    match: { type: 'string', default: '' },
    scale: { type: 'string', default: '1' },
    pairs: { type: 'string', default: '7' },
  },
});

async function main() {
  const names = namesOf(values.only, Object.keys(parts));
  const java = await setUp(readSettings(process.env), { say: console.log, build: true });
  const stack = await startStack(java);
  const context = createContext({
    ...stack,
    scale: Number(values.scale),
    pairs: Number(values.pairs),
    match: new RegExp(values.match),
  });
  const end = async () => {
    context.close();
    await stack.stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => void end().then(() => process.exit(1)));
  try {
    const results = {};
    for (const name of names) results[name] = await measure(name, context, stack);
    process.exitCode = printReport(results) ? 0 : 1;
  } finally {
    await end();
  }
}

async function measure(name, context, stack) {
  console.error(`${name} …`);
  const { run } = await parts[name]();
  const machine = watchMachine(stack.pids);
  const result = await run(context);
  return { ...result, machine: machine.end() };
}

await runBench(main);
