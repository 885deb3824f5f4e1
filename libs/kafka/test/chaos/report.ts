import type { Chaos } from './chaos.js';

/** A chaos in which no promise was broken. */
export interface ChaosOutcome {
  readonly seed: number;
  readonly chaos: Chaos;
  readonly counts: Readonly<Record<string, number>>;
  readonly tookMs: number;
}

type Row = [name: string, valueOf: (outcome: ChaosOutcome) => string | number];

/** The committed report. */
export function renderChaos(outcomes: readonly ChaosOutcome[], minutes: number): string {
  const names = [...new Set(outcomes.flatMap(({ counts }) => Object.keys(counts)))];
  const rows: Row[] = [
    ['members', ({ chaos }) => (chaos.schedule.isStatic ? 'static' : 'dynamic')],
    ...['kill', 'freeze', 'leave', 'replace', 'join'].map((kind): Row => [
      kind,
      ({ chaos }) => countOf(chaos.schedule.faults, kind),
    ]),
    ['broker restarts', ({ chaos }) => countOf(chaos.accidents, 'restart')],
    ['times partitions were added', ({ chaos }) => countOf(chaos.accidents, 'more partitions')],
    ...names.map((name): Row => [name, ({ counts }) => counts[name] ?? 0]),
    ['seconds', ({ tookMs }) => Math.round(tookMs / 1_000)],
  ];
  return `# Two processes of one group in chaos

Written by \`npm run prove:chaos\`; what is played and asserted: [schedules](../../libs/kafka/test/schedules/README.md).

- **${new Date().toISOString()}**, faults for ${minutes} minutes a seed: no promise broken.

| seed | ${outcomes.map(({ seed }) => seed).join(' | ')} |
|---|${outcomes.map(() => '---|').join('')}
${rows.map(([name, valueOf]) => `| ${name} | ${outcomes.map(valueOf).join(' | ')} |`).join('\n')}
`;
}

function countOf(happenings: readonly { kind: string }[], kind: string): number {
  return happenings.filter((happening) => happening.kind === kind).length;
}
