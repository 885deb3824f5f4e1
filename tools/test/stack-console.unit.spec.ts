import { describe, expect, it } from '@jest/globals';
import { consoleLine } from '../stack/run/console-lines.mjs';
import { createRepeatCounter } from '../stack/run/terminal.mjs';

const json = (record: object) => JSON.stringify({ time: '2026-03-01T12:30:45.123Z', service: 'summary', ...record });
const error = { type: 'PoisonMessage', message: 'not Avro', stack: ['at decode'] };

describe('the console', () => {
  it.each([
    [
      'a warning, in one readable line',
      json({ level: 'warn', msg: 'slow', jobId: 'j1' }),
      '12:30:45 warn slow jobId=j1',
    ],
    [
      'an error, by its type and message',
      json({ level: 'error', msg: 'failed', err: error }),
      '12:30:45 error failed err=PoisonMessage: not Avro',
    ],
    ['a crash', 'TypeError: x is not a function', 'TypeError: x is not a function'],
    ["Kafka's errors", '12:30:45 ERROR LogDirFailure disk full', '12:30:45 ERROR LogDirFailure disk full'],
  ])('shows %s', (_what, line, shown) => {
    expect(consoleLine(line, { verbose: false })?.text).toBe(shown);
  });

  it.each([
    ['what a service does as usual', json({ level: 'info', msg: 'ready' })],
    ["Kafka's warnings", '12:30:45 WARN QuorumController activation'],
    ['empty lines', ''],
  ])('leaves %s to the log file', (_what, line) => {
    expect(consoleLine(line, { verbose: false })).toBeNull();
  });

  it('shows everything when it is asked to', () => {
    expect(consoleLine(json({ level: 'info', msg: 'ready', healthPort: 1 }), { verbose: true })?.text).toBe(
      '12:30:45 info ready healthPort=1',
    );
    expect(consoleLine('plain', { verbose: true })?.text).toBe('plain');
  });

  it('shows a line that looks like JSON and is none', () => {
    expect(consoleLine('{"level":"error', { verbose: true })?.text).toBe('{"level":"error');
  });

  it('shows one of many lines of a kind, and later how many were held back', () => {
    let now = 0;
    const count = createRepeatCounter(() => now);
    expect([count('kafka is down'), count('kafka is down'), count('other'), count('kafka is down')]).toEqual([
      0,
      null,
      0,
      null,
    ]);
    now = 10_000;
    expect([count('kafka is down'), count('other')]).toEqual([2, 0]);
  });

  it('takes lines that differ in numbers for one kind', () => {
    const [first, second] = [1, 22].map((retryCount) =>
      consoleLine(json({ level: 'warn', msg: `retry ${retryCount}` }), { verbose: false }),
    );
    expect(first?.kind).toBe(second?.kind);
  });

  it('takes lines with another code for another kind', () => {
    const [first, second] = ['KEY_MISMATCH', 'UNKNOWN_TENANT'].map((code) =>
      consoleLine(json({ level: 'warn', msg: 'becomes a dead letter', code }), { verbose: false }),
    );
    expect(first?.kind).not.toBe(second?.kind);
  });
});
