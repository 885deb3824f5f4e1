import { consoleLine } from './console-lines.mjs';

const nameWidth = 17;
/** When Kafka is down, every service says so twice a second. The log files have every line. */
const repeatWindowMs = 10_000;
const kindsRemembered = 1_000;

/**
 * Everything that the launcher prints. A reader that went away (`npm start | head`) stops nothing.
 * @param {{ verbose: boolean, output?: NodeJS.WritableStream }} options
 */
export function createTerminal({ verbose, output = process.stdout }) {
  output.on('error', () => {});
  const countRepeats = createRepeatCounter(Date.now);
  const line = (/** @type {string} */ name, /** @type {string} */ text) => {
    for (const row of text.split('\n')) output.write(`${name.padEnd(nameWidth)} | ${row}\n`);
  };
  return {
    /** @param {string} text */
    say: (text) => line('anabranch', text),
    /**
     * @param {string} name
     * @param {string} text a process's own line
     */
    show(name, text) {
      const shown = consoleLine(text, { verbose });
      const repeats = shown === null || verbose ? 0 : countRepeats(`${name} ${shown.kind}`);
      if (shown === null || repeats === null) return;
      line(name, repeats > 0 ? `${shown.text}  (and ${repeats} more like it)` : shown.text);
    },
    /** @param {string} text as it is, to be copied */
    print: (text) => output.write(`${text}\n`),
  };
}

/**
 * @param {() => number} now
 * @returns {(kind: string) => number | null} null = one of this kind was shown shortly before; else how many were held
 *   back since
 */
export function createRepeatCounter(now) {
  /** @type {Map<string, { shownAt: number, heldBack: number }>} */
  const kinds = new Map();
  return (kind) => {
    const known = kinds.get(kind);
    if (known !== undefined && now() - known.shownAt < repeatWindowMs) {
      known.heldBack += 1;
      return null;
    }
    if (kinds.size >= kindsRemembered) kinds.clear();
    kinds.set(kind, { shownAt: now(), heldBack: 0 });
    return known?.heldBack ?? 0;
  };
}

/** @typedef {ReturnType<typeof createTerminal>} Terminal */
