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
  const say = async (/** @type {(text: string) => void} */ print) =>
    print(typeof usage === 'string' ? usage : await usage());
  try {
    const { help, ...values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } }).values;
    if (help) {
      await say(console.log);
      process.exit(0);
    }
    for (const name of numbers) requireNumber(name, values[name]);
    return values;
  } catch (error) {
    // At once, since the help of a bench may need a build.
    console.error(`${error instanceof Error ? error.message : String(error)}\n`);
    await say(console.error);
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
