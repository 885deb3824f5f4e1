import { describe, expect, it } from '@jest/globals';
import { scanIdentifiers } from '../src/index.js';

// The bench reads a megabyte of each (bench/engines.mjs); here a tenth, which any quadratic step would still betray.
const length = 100_000;

/** Processor time of this thread in ms: what other processes of a shared machine take is no fault of the code's. */
const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Longest step and processor time in ms; measured upwards only, so the best run counts. */
const cost = (text: string): { stepMs: number; cpuMs: number } => {
  const runs = Array.from({ length: 3 }, () => {
    let stepMs = 0;
    const cpu = process.cpuUsage().user;
    const scan = scanIdentifiers(text);
    for (let before = threadMs(), step = scan.next(); step.done !== true; step = scan.next()) {
      stepMs = Math.max(stepMs, threadMs() - before);
      before = threadMs();
    }
    return { stepMs, cpuMs: (process.cpuUsage().user - cpu) / 1_000 };
  });
  return { stepMs: Math.min(...runs.map((run) => run.stepMs)), cpuMs: Math.min(...runs.map((run) => run.cpuMs)) };
};

const line = (text: string): string => `${text}\n`;
const begin = line('-----BEGIN PRIVATE KEY-----');

describe('scanIdentifiers', () => {
  it.each([
    ['one letter', 'a'],
    ['one digit', '1'],
    ['single digits', '1 '],
    ['pairs of digits', '12 '],
    ['digits and hyphens', '1-'],
    ['digits and stops', '1.'],
    ['groups of four digits', '1111 '],
    ['groups of seven digits', '1234567 '],
    ['cards that fail their check', '4111 1111 1111 1112 '],
    ['cards that pass it', '4111 1111 1111 1111 '],
    ['international telephone numbers', '+49 30 1234567 '],
    ['announced telephone numbers', 'call 4567 1234 '],
    ['numbers that begin with a trunk zero', '01 84 17 61 18 '],
    ['words that announce', 'tel '],
    ['extensions', 'ext '],
    ['French numbers', '1 23 12 34 567 890 12 '],
    ['at signs', '@'],
    ['letters and at signs', 'a@'],
    ['letters and stops', 'a.'],
    ['local parts that lead nowhere', `${'a.'.repeat(32)}@`],
    ['short hosts', 'a@a.'],
    ['long hosts', `a@${'a'.repeat(62)}.`],
    ['hosts with paths', 'a.com/'],
    ['schemes', 'http://'],
    ['URLs with passwords', 'a://b:'],
    ['URLs that end in stops', `http://${'.'.repeat(1990)} `],
    ['URLs that end in brackets', `http://(${')'.repeat(1990)} `],
    ['heads of IBANs', 'DE12'],
    ['overlong IBANs', `DE12${'A'.repeat(40)} `],
    ['groups that look like IBANs', 'DE12 ABCD '],
    ['short hosts with www', 'www.'],
    ['colons', '::'],
    ['hexadecimal groups', 'ab12:'],
    ['names of keys', 'key_'],
    ['assignments', 'token='],
    ['words and hyphens', 'password-'],
    ['first lines of keys', begin],
    ['keys without an end', begin + 'A\n'.repeat(200)],
    ['heads of tokens', 'eyJ'],
    ['long heads of tokens', `eyJ${'a'.repeat(3000)}.`],
    ['emoji', '😀'],
    ['spaces', ' '],
    ['social security numbers', '123-45-6789 '],
    ['addresses', '1.1.1.1 '],
    ['right-to-left marks', '\u200f'],
    ['zero-width spaces', '1\u200b'],
    ['bidirectional overrides', 'a\u202e'],
  ])('reads %s in short steps, at less than 5 s a megabyte', (_name, unit) => {
    const { stepMs, cpuMs } = cost(unit.repeat(Math.ceil(length / unit.length)));
    expect(stepMs).toBeLessThan(50);
    expect(cpuMs).toBeLessThan((5_000 * length) / 1_000_000);
  });
});
