// What a document costs when there are 20,000 of them, against 2,000.
import { rounded } from '../../consumer/statistics.mjs';
import { openWorld, runBacklog } from '../world.mjs';

export const help = 'processor time per document at 20,000 against 2,000';

const limit = 1.1;

/** @param {import('../world.mjs').PartOptions} options */
export async function run({ compact, scaled, watch }) {
  const world = await openWorld({ compact });
  watch(world);
  try {
    // Compiled code and full caches are not what grows.
    await runBacklog(world, { run: 'warm', documents: scaled(2_000, 100) });
    const few = await runBacklog(world, { run: 'few', documents: scaled(2_000, 100) });
    const many = await runBacklog(world, { run: 'many', documents: scaled(20_000, 1_000) });
    const ratio = many.cpu.total / few.cpu.total;
    const figures = {
      few: {
        documents: few.documents,
        cpuSecondsPer1000: rounded(few.cpu.total),
        perSecond: Math.round(few.perSecond),
      },
      many: {
        documents: many.documents,
        cpuSecondsPer1000: rounded(many.cpu.total),
        perSecond: Math.round(many.perSecond),
      },
      ratio: rounded(ratio),
    };
    const row = {
      figure: `CPU-seconds per document, ${many.documents} against ${few.documents}`,
      value: `${rounded(ratio)} (${rounded(many.cpu.total)} and ${rounded(few.cpu.total)} per 1,000)`,
      target: `≤ ${limit}`,
      holds: ratio <= limit,
    };
    return { figures, rows: [row], violations: world.violations, isWallClock: false };
  } finally {
    await world.close();
  }
}
