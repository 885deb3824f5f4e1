// JSON for machines, a table for people.

/**
 * @param {Record<string, { figures: object, rows: object[], violations: string[], isWallClock: boolean, machine: object }>} results
 * @returns {boolean} whether the runs count
 */
export function printReport(results) {
  console.log(
    JSON.stringify(
      Object.fromEntries(Object.entries(results).map(([name, result]) => [name, { ...result, rows: undefined }])),
    ),
  );
  const table = Object.entries(results).flatMap(([part, { rows, isWallClock, machine }]) =>
    rows.map(({ figure, value, target, holds, isWallClock: own = isWallClock }) => ({
      part,
      figure,
      value,
      target,
      verdict: verdictOf({ target, holds, isMeaningful: !own || machine.isQuiet }),
    })),
  );
  console.table(table);
  const violations = Object.entries(results).flatMap(([part, result]) =>
    result.violations.map((each) => `${part}: ${each}`),
  );
  for (const violation of violations) console.log(`VIOLATED ${violation}`);
  console.log(violations.length === 0 ? 'All records were handled once, per key in order.' : 'The run does not count.');
  return violations.length === 0;
}

function verdictOf({ target, holds, isMeaningful }) {
  if (target === undefined) return '';
  if (!isMeaningful) return 'not meaningful: busy machine';
  return holds ? 'holds' : 'falls short';
}
