// What the benches have in common: parts by name, each loaded when it is wanted.
import { StackFault } from '../tools/stack/fault.mjs';

/**
 * What each part measures, one line each.
 * @param {Record<string, () => Promise<{ help: string }>>} parts
 */
export async function describeParts(parts) {
  const lines = Object.entries(parts).map(async ([name, load]) => `${name.padEnd(10)} ${(await load()).help}`);
  return (await Promise.all(lines)).map((line) => `                  ${line}`).join('\n');
}

/**
 * The names of a list with commas.
 * @param {string} list
 * @param {readonly string[]} known
 * @throws StackFault when one of them is not known
 */
export function namesOf(list, known) {
  const names = list.split(',');
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new StackFault(`There is no ${unknown.join()}: ${known.join()}`);
  return names;
}

/**
 * Runs a bench to its end; what its user can mend is said without a stack.
 * @param {() => Promise<void>} bench
 */
export async function runBench(bench) {
  try {
    await bench();
  } catch (error) {
    if (!(error instanceof StackFault)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
