#!/usr/bin/env node
// The command line behind `npm start`, `npm test` and their kin. Plain JavaScript without dependencies: it runs before
// anything is installed, on any Node from 20 on.
import { parseArgs } from 'node:util';
import { StackFault } from './fault.mjs';

/**
 * @typedef {object} Command
 * @property {string} help
 * @property {import('node:util').ParseArgsConfig['options']} [options]
 * @property {(input: { values: Record<string, any>, names: string[] }) => Promise<number>} run resolves with the exit code
 */

/** Loaded when asked for: `stop` needs none of what `test` needs. @type {Record<string, () => Promise<{ command: Command }>>} */
const commands = {
  start: () => import('./commands/start.mjs'),
  stop: () => import('./commands/stop.mjs'),
  status: () => import('./commands/status.mjs'),
  reset: () => import('./commands/reset.mjs'),
  verify: () => import('./commands/verify.mjs'),
  test: () => import('./commands/test.mjs'),
};

const overview = `Usage: node tools/stack/cli.mjs COMMAND [OPTION …]      (npm run COMMAND -- OPTION …)

  start    bring everything up; add --only NAME to bring back one part
  stop     take everything down, or the parts that are named
  status   list the processes
  reset    stop, and remove all data
  verify   format, lint, types, schemas, wiring, unit specs, build
  test     verify, then integration and end-to-end specs

COMMAND --help says more.`;

/** @param {string[]} args */
async function main([name, ...args]) {
  if (name === undefined || name === 'help' || name === '--help') {
    console.log(overview);
    return name === undefined ? 64 : 0;
  }
  if (!Object.hasOwn(commands, name)) throw new StackFault(`There is no command "${name}".\n\n${overview}`);
  const { command } = await commands[name]();
  const { values, positionals } = parse(name, command, args);
  if (values.help) {
    console.log(command.help);
    return 0;
  }
  return command.run({ values, names: positionals });
}

/**
 * @param {string} name
 * @param {Command} command
 * @param {string[]} args
 */
function parse(name, { options }, args) {
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...options, help: { type: 'boolean', short: 'h' } } });
  } catch (error) {
    throw new StackFault(
      `${error instanceof Error ? error.message : String(error)}\nnpm run ${name} -- --help lists the options.`,
    );
  }
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof StackFault ? `\n${error.message}\n` : error);
  process.exit(1);
}
