import { KeepRunning } from './keep-running.js';

// A container's entry point: node [options] libs/service-host/dist/launcher.js services/summary/dist/main.js. The options are
// the program's, too. As process 1 it outlives the program, and so can tell the next run how the last one ended.
const args = process.argv.slice(2);
if (args.length === 0) {
  process.stderr.write('Usage: node [options] libs/service-host/dist/launcher.js PROGRAM, a service’s dist/main.js.\n');
  process.exit(64);
}
const launcher = new KeepRunning({
  args,
  env: process.env,
  report: (fields, msg) => {
    const line = { time: new Date().toISOString(), level: 'error', service: 'launcher', ...fields, msg };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  },
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => launcher.stop());
process.on('SIGUSR2', () => launcher.announceRemoval());
if (process.env['ANABRANCH_PARENT_PIPE'] === '1') process.stdin.once('end', () => launcher.stop()).resume();
process.exit(await launcher.run());
