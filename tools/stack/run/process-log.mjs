import { createWriteStream, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const rotateBytes = 10 * 1024 * 1024;
const lineMaxCharacters = 16_384;

/**
 * @typedef {object} ProcessLog
 * @property {(child: import('node:child_process').ChildProcess) => void} attach
 * @property {(line: string) => void} add
 * @property {() => string[]} lastLines
 * @property {() => Promise<void>} close
 */

/**
 * One process's output, over all its restarts: every line to its file, and to whoever shows it.
 * @param {{ file: string, keep?: number, show: (line: string) => void }} options keep: how many lines are remembered
 * @returns {ProcessLog}
 */
export function createProcessLog({ file, keep = 20, show }) {
  mkdirSync(dirname(file), { recursive: true });
  rotate(file);
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 });
  stream.on('error', () => {}); // A full disk must not end the launcher, and has more visible victims.
  /** @type {string[]} */
  const last = [];
  const add = (/** @type {string} */ line) => {
    stream.write(`${line}\n`);
    last.push(line);
    if (last.length > keep) last.shift();
    show(line);
  };
  return {
    add,
    attach(child) {
      last.length = 0;
      eachLine(child.stdout, add);
      eachLine(child.stderr, add);
    },
    lastLines: () => [...last],
    close: () => new Promise((resolve) => stream.end(() => resolve())),
  };
}

/**
 * @param {import('node:stream').Readable | null} stream
 * @param {(line: string) => void} add
 */
function eachLine(stream, add) {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (/** @type {string} */ chunk) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) add(line);
    if (rest.length > lineMaxCharacters) {
      add(rest);
      rest = '';
    }
  });
  stream?.once('close', () => {
    if (rest !== '') add(rest);
  });
}

/** @param {string} file */
function rotate(file) {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size > rotateBytes) renameSync(file, `${file}.1`);
}
