// A backlog of distinct documents, from the first fetch to the last enriched.
import { median, rounded } from '../../consumer/statistics.mjs';
import { openWorld, runBacklog, runRevisions } from '../world.mjs';

export const help = 'documents a second and processor time, with the stub behind the ledger';

const targets = { separate: { perSecond: 1_600, cpu: 1.15 }, compact: { perSecond: 2_200, cpu: 0.9 } };

/** @param {{ compact: boolean, rounds: number, scaled: (count: number, least?: number) => number }} options */
export const run = (options) => measureThroughput(options, true);

export async function measureThroughput({ compact, rounds, scaled, watch }, isGated) {
  const world = await openWorld({ compact, isGated });
  watch(world);
  try {
    const documents = scaled(6_000, 200);
    await runRevisions(world, { run: 'order', documents: scaled(200, 20) });
    const results = [];
    for (let round = 0; round <= rounds; round++) {
      const figures = await runBacklog(world, { run: `round${round}`, documents });
      // The first round warms up and does not count.
      if (round > 0) results.push(figures);
    }
    return report(results, {
      isGated,
      target: targets[compact ? 'compact' : 'separate'],
      violations: world.violations,
    });
  } finally {
    await world.close();
  }
}

function report(results, { isGated, target, violations }) {
  const perSecond = median(results.map((result) => result.perSecond));
  const cpu = median(results.map((result) => result.cpu.total));
  const names = Object.keys(results[0].cpu.byProcess);
  const byProcess = Object.fromEntries(
    names.map((name) => [name, rounded(median(results.map((result) => result.cpu.byProcess[name])), 3)]),
  );
  const label = isGated ? 'behind the ledger' : 'without the gate';
  return {
    figures: {
      documents: results[0].documents,
      perSecond: results.map((result) => Math.round(result.perSecond)),
      cpuSecondsPer1000: results.map((result) => rounded(result.cpu.total)),
      byProcess,
    },
    rows: [
      {
        figure: `documents a second, ${label}`,
        value: String(Math.round(perSecond)),
        target: isGated ? `≥ ${target.perSecond}` : '',
        holds: !isGated || perSecond >= target.perSecond,
      },
      {
        figure: `CPU-seconds per 1,000, ${label}`,
        value: String(rounded(cpu)),
        target: isGated ? `≤ ${target.cpu}` : '',
        holds: !isGated || cpu <= target.cpu,
        isWallClock: false,
      },
      ...Object.entries(byProcess).map(([name, seconds]) => ({
        figure: `  of it ${name}`,
        value: String(seconds),
        target: '',
        holds: true,
        isWallClock: false,
      })),
    ],
    violations,
    isWallClock: true,
  };
}
