import type { Played } from './play.js';
import type { Schedule } from './schedule.js';

interface Outcome {
  readonly seed: number;
  readonly all: readonly Schedule[];
  readonly played: readonly Played[];
  readonly tookMs: number;
}

/** The committed report. */
export function renderReport({ seed, all, played, tookMs }: Outcome): string {
  const faults = Object.entries(countOf(all.flatMap((schedule) => schedule.faults.map(({ kind }) => kind))));
  const totals = played.reduce<Record<string, number>>((sums, { counts }) => {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
    return sums;
  }, {});
  const isStatic = all.filter((schedule) => schedule.isStatic).length;
  return `# The consumer on a real broker

Written by \`npm run prove:schedules\`; what is played and asserted: [schedules](../../libs/kafka/test/schedules/README.md).

- **${new Date().toISOString()}**, seed ${seed}, ${Math.round(tookMs / 1_000)} s
- ${played.length} schedules, ${isStatic} with static members and ${all.length - isStatic} with dynamic ones: no promise broken.

| fault | times |
|---|---|
${faults.map(([kind, times]) => `| ${kind} | ${times} |`).join('\n')}

| seen | count |
|---|---|
${Object.entries(totals)
  .map(([name, total]) => `| ${name} | ${total} |`)
  .join('\n')}
`;
}

function countOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
