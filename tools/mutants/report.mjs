/**
 * @typedef {{ name: string, plays: import('./play.mjs').Play[], fault?: string }} Verdict
 * @typedef {{ date: string, baseline: import('./play.mjs').Play[], verdicts: Verdict[], schedules: number }} Outcome
 */

/** Whether a mutant was found with every seed. @param {Verdict} verdict */
export function isKilled({ plays, fault }) {
  return fault === undefined && plays.length > 0 && plays.every(({ failure }) => failure !== undefined);
}

/** @param {Verdict} verdict */
export function describeVerdict(verdict) {
  const { name, plays, fault } = verdict;
  if (fault !== undefined) return `| ${name} | | ${fault} | |`;
  const invariants = new Set(plays.map(({ failure }) => failure?.violations[0]?.invariant ?? '**survived**'));
  const seeds = plays.map(({ seed }) => seed).join(', ');
  const needed = plays.map(({ schedules }) => schedules).join(', ');
  return `| ${name} | ${seeds} | ${[...invariants].join('; ')} | ${needed} |`;
}

export const tableHead = '| mutant | seeds | killed by | schedules needed |\n|---|---|---|---|';

/** The committed report. @param {Outcome} outcome */
export function renderReport({ date, baseline, verdicts, schedules }) {
  const total = baseline.reduce((sum, play) => sum + play.schedules, 0);
  const records = baseline.reduce((sum, play) => sum + play.records, 0);
  const seconds = Math.round(baseline.reduce((sum, play) => sum + play.tookMs, 0) / 1_000);
  const seeds = baseline.map(({ seed }) => seed).join(', ');
  const killed = verdicts.filter(isKilled).length;
  return `# The consumer under simulation

Written by \`npm run prove:simulation\`; what is simulated and asserted: [the simulation](../../libs/kafka/test/simulation/README.md).

- **${date}**
- The source as it is: ${total} schedules with ${records} records, seeds ${seeds}, ${seconds} s: no promise broken.
- Mutants: ${killed} of ${verdicts.length} killed, each on ${verdicts[0]?.plays.length ?? 0} fresh seeds, within ${schedules} schedules a seed.

${tableHead}
${verdicts.map(describeVerdict).join('\n')}
`;
}
