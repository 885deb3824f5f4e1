import { describe, expect, it } from '@jest/globals';
import { Launches, ownFaultOf, type ProcessEnd } from '../src/launches.js';

const killed: ProcessEnd = { code: null, signal: 'SIGKILL' };
const aborted: ProcessEnd = { code: null, signal: 'SIGABRT' };

describe('an end is the process’s own fault', () => {
  it.each(['SIGABRT', 'SIGSEGV', 'SIGTRAP', 'SIGILL', 'SIGBUS'])('when it raised %s', (signal) => {
    expect(ownFaultOf({ code: null, signal })).toBe(signal);
  });

  it.each([5, 6, 7, 70, 134, 139])('when it exited with %d', (code) => {
    expect(ownFaultOf({ code, signal: null })).toBe(`exit code ${code}`);
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGSTOP'])('never when %s came from outside', (signal) => {
    expect(ownFaultOf({ code: null, signal })).toBeUndefined();
  });

  it.each([0, 1, 78, 130, 137, 143])('never when it exited with %d', (code) => {
    expect(ownFaultOf({ code, signal: null })).toBeUndefined();
  });
});

describe('the runs of a process', () => {
  it('have each a name of their own', () => {
    const launches = new Launches();
    expect(new Set([0, 1, 2].map((now) => launches.begin(now).run)).size).toBe(3);
  });

  it('hear once of the own fault of the one before, and never of another end', () => {
    const launches = new Launches();
    const { run } = launches.begin(1_000);
    expect(launches.end(aborted, 3_500.4)).toBe('SIGABRT');
    expect(launches.begin(4_000)).toMatchObject({ ownExits: 1, ownExit: { run, reason: 'SIGABRT', ranMs: 2_500 } });
    expect(launches.end(killed, 5_000)).toBeUndefined();
    expect(launches.begin(6_000)).not.toHaveProperty('ownExit');
  });
});
