// The options of what is run by hand, by node:util: `--help` says what there are, and so does a mistake.
import { parseArgs } from 'node:util';

const wrongUse = 64; // EX_USAGE of sysexits(3)

/**
 * Reads the command line. Ends the process after help, and after an option that does not exist or a number that is none.
 * @template {import('node:util').ParseArgsOptionsConfig} T
 * @param {{ usage: string | (() => Promise<string>), options: T, numbers?: readonly (keyof T & string)[] }} tool `numbers`: options
 *   that take one above 0
 */
export async function readOptions({ usage, options, numbers = [] }) {
  const help = async () => (typeof usage === 'string' ? usage : usage());
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h', default: false } } });
    if (!values.help) {
      for (const name of numbers) requireNumber(name, values[name]);
      return values;
    }
    console.log(await help());
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${await help()}`);
    process.exit(wrongUse);
  }
}

/**
 * @param {string} name
 * @param {unknown} text
 */
function requireNumber(name, text) {
  if (text !== undefined && !(Number(text) > 0))
    throw new Error(`--${name} is "${String(text)}": give a number above 0.`);
}
