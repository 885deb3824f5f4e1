// npm run prove:chaos: chaos for so long with each of some seeds. `--help` says more.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join, resolve } from 'node:path';
import { readOptions } from '../../../../tools/command-line.mjs';

const root = resolve(import.meta.dirname, '../../../..');
const usage = `npm run prove:chaos -- [--minutes 5] [--seeds N,N,N] [--report FILE]

Consumers on a real broker, killed, frozen and cut off at random, with a ledger that they know nothing of.

  --minutes 5    with each of the seeds
  --seeds N,N,N  three of its own otherwise
  --report FILE  writes a page about it`;

const values = await readOptions({
  usage,
  numbers: ['minutes'],
  options: { minutes: { type: 'string', default: '5' }, seeds: { type: 'string' }, report: { type: 'string' } },
});
const seeds = values.seeds ?? [0, 0, 0].map(() => randomInt(2 ** 31)).join(',');
console.log(`seeds ${seeds}, ${values.minutes} minutes each`);
const child = spawn(process.execPath, [join(root, 'tools/stack/cli.mjs'), 'test', '--int', 'libs/kafka/test/chaos'], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    ANABRANCH_CHAOS_MINUTES: values.minutes,
    ANABRANCH_CHAOS_SEEDS: seeds,
    ...(values.report && { ANABRANCH_CHAOS_REPORT: resolve(values.report) }),
  },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => (process.exitCode = code ?? 1));
