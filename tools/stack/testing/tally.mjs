// What ran and how it ended, summed over everything that one command ran.

/** @typedef {{ passed: number, failed: number }} Tally */

/** @type {Tally} */
export const nothing = { passed: 0, failed: 0 };

/**
 * @param {Tally[]} tallies
 * @returns {Tally}
 */
export function sum(tallies) {
  return tallies.reduce(
    (total, { passed, failed }) => ({ passed: total.passed + passed, failed: total.failed + failed }),
    nothing,
  );
}

/**
 * A phase in which nothing ran proves nothing: it has failed.
 * @param {Tally} tally
 * @returns {Tally}
 */
export function requireSome({ passed, failed }) {
  return passed + failed === 0 ? { passed, failed: 1 } : { passed, failed };
}

/**
 * Jest's own report. Suites that could not run and tests that were skipped count as failed.
 * @param {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number,
 *   numRuntimeErrorTestSuites: number } | null} report null = jest wrote none
 * @returns {Tally}
 */
export function tallyOfJest(report) {
  if (report === null) return { passed: 0, failed: 1 };
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, numRuntimeErrorTestSuites } = report;
  return requireSome({
    passed: numPassedTests,
    failed: numFailedTests + numPendingTests + numTodoTests + numRuntimeErrorTestSuites,
  });
}

/**
 * @param {string} output of `tools/workspace/lint.mjs`
 * @returns {Tally}
 */
export function tallyOfCanaries(output) {
  const [, passed, failed] = /^canaries: (\d+) passed, (\d+) failed$/m.exec(output) ?? ['', '0', '0'];
  return requireSome({ passed: Number(passed), failed: Number(failed) });
}

/**
 * The line that tells a build server how many tests there were.
 * @param {Tally} tally
 */
export function closingLine({ passed, failed }) {
  return `${passed} passed, ${failed} failed`;
}
