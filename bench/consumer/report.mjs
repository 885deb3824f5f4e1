// JSON for machines, a table for people.

/**
 * @param {Record<string, { figures: object, rows: object[], violations: string[], isWallClock: boolean, machine: object }>} results
 * @param {object} [about] what else the JSON says
 * @param {string} [whenItCounts] what was kept
 * @returns {boolean} whether the runs count
 */
export function printReport(results, about = {}, whenItCounts = 'All records were handled once, per key in order.') {
  const parts = Object.entries(results).map(([name, result]) => [name, { ...result, rows: undefined }]);
  console.log(JSON.stringify({ ...about, ...Object.fromEntries(parts) }));
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
  console.log(violations.length === 0 ? whenItCounts : 'The run does not count.');
  return violations.length === 0;
}

function verdictOf({ target, holds, isMeaningful }) {
  if (target === undefined) return '';
  if (!isMeaningful) return 'not meaningful: busy machine';
  return holds ? 'holds' : 'falls short';
}
