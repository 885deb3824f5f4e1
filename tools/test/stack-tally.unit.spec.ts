import { describe, expect, it } from '@jest/globals';
import { runPhases } from '../stack/testing/phases.mjs';
import { closingLine, sum, tallyOfCanaries, tallyOfJest } from '../stack/testing/tally.mjs';

const report = {
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  numRuntimeErrorTestSuites: 0,
};

describe('the count of a test run', () => {
  it.each([
    ['tests that passed', report, { passed: 5, failed: 0 }],
    ['tests that failed', { ...report, numFailedTests: 2 }, { passed: 5, failed: 2 }],
    ['skipped tests, as failed', { ...report, numPendingTests: 1, numTodoTests: 1 }, { passed: 5, failed: 2 }],
    ['suites that could not run, as failed', { ...report, numRuntimeErrorTestSuites: 1 }, { passed: 5, failed: 1 }],
    ['a run of nothing, as failed', { ...report, numPassedTests: 0 }, { passed: 0, failed: 1 }],
    ['a run without a report, as failed', null, { passed: 0, failed: 1 }],
  ])('holds %s', (_what, given, expected) => {
    expect(tallyOfJest(given)).toEqual(expected);
  });

  it('holds the lint canaries, and takes silence about them for a failure', () => {
    expect(tallyOfCanaries('lint: 0 findings\ncanaries: 9 passed, 1 failed\n')).toEqual({ passed: 9, failed: 1 });
    expect(tallyOfCanaries('canaries: 0 passed, 0 failed\n')).toEqual({ passed: 0, failed: 1 });
    expect(tallyOfCanaries('')).toEqual({ passed: 0, failed: 1 });
  });

  it('sums all phases into the closing line', async () => {
    const phase = (passed: number, failed: number) => ({
      name: 'x',
      essential: false,
      run: () => Promise.resolve({ passed, failed }),
    });
    const crash = { name: 'crash', essential: false, run: () => Promise.reject(new Error('crashed')) };
    const total = await runPhases([phase(3, 0), crash, phase(4, 2)], { say: () => {} });
    expect(closingLine(sum([total, { passed: 1, failed: 0 }]))).toBe('8 passed, 3 failed');
  });

  it('ends with an essential phase that failed', async () => {
    const ran: string[] = [];
    const phase = (name: string, failed: number, essential: boolean) => ({
      name,
      essential,
      run: () => Promise.resolve({ passed: ran.push(name), failed }),
    });
    await runPhases([phase('a', 1, false), phase('b', 1, true), phase('c', 0, false)], { say: () => {} });
    expect(ran).toEqual(['a', 'b']);
  });
});
