// Two thousand documents at once, with a model that is slow as models are, ten times faster.
import { median, rounded } from '../../consumer/statistics.mjs';
import { readCalls } from '../invariants.mjs';
import { openWorld, runBacklog } from '../world.mjs';

export const help = 'makespan of a burst with the slow model, against the ideal';

const limit = 1.09;
/** Of the models: log-normal, seeded, capped. */
export const slow = { p50Ms: 3_000, p95Ms: 15_000, capMs: 60_000, scale: 0.1, seed: 5 };
/** More than documents: each analysis may have all of them in flight. */
const inFlight = 2_048;

/** @param {import('../world.mjs').PartOptions} options */
export async function run({ compact, rounds, scaled, watch }) {
  const environment = { ANABRANCH_MODEL_MAX_IN_FLIGHT: String(inFlight) };
  const world = await openWorld({ compact, slow, environment });
  watch(world);
  try {
    const documents = scaled(2_000, 50);
    const ratios = [];
    const results = [];
    for (let round = 0; round <= rounds; round++) {
      const known = readCalls(world.platform.stubFolder).length;
      const figures = await runBacklog(world, { run: `burst${round}`, documents });
      // With room for all calls at a time, nothing is faster than the slowest of them.
      const ideal =
        Math.max(
          ...readCalls(world.platform.stubFolder)
            .slice(known)
            .map(({ ms }) => ms),
        ) / 1_000;
      if (round === 0) continue;
      ratios.push(figures.seconds / ideal);
      results.push({ ...figures, ideal });
    }
    return report(results, ratios, world.violations);
  } finally {
    await world.close();
  }
}

function report(results, ratios, violations) {
  const ratio = rounded(median(ratios));
  const seconds = results.map((result) => `${rounded(result.seconds)} s of ${rounded(result.ideal)} s`);
  return {
    figures: { documents: results[0].documents, makespanOverIdeal: ratios.map((each) => rounded(each)), seconds },
    rows: [
      {
        figure: `makespan ÷ ideal of ${results[0].documents} slow documents`,
        value: `${ratio} (${seconds.join(', ')})`,
        target: `≤ ${limit}`,
        holds: ratio <= limit,
      },
    ],
    violations,
    isWallClock: true,
  };
}
