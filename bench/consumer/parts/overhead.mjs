// What the runtime costs over kafkajs alone, in processor time per record. Handlers do nothing, so that nothing else counts.
import { median, rounded, summary } from '../statistics.mjs';

export const help = 'processor time per record, over bare eachBatch with the same decoding';

const contenders = {
  runtime: { consumer: 'runtime' },
  eachBatch: { consumer: 'eachBatch' },
  adapter: { consumer: 'adapter' },
  runtimeUndecoded: { consumer: 'undecodedRuntime' },
  eachBatchUndecoded: { consumer: 'eachBatch', decodes: false },
};

const limitMicros = 2;

/** @param {ReturnType<typeof import('../context.mjs').createContext>} context */
export async function run(context) {
  const filled = await context.topic({ records: context.scaled(200_000, 5_000), keys: 1_000, textBytes: 1_000 });
  const members = Object.fromEntries(Object.keys(contenders).map((name) => [name, context.newMember()]));
  const micros = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  const violations = [];
  // The first round warms up and does not count.
  for (let round = 0; round <= context.pairs; round++) {
    const order = Object.keys(contenders);
    for (const name of round % 2 === 0 ? order : order.toReversed()) {
      const figures = await context.consume(members[name], filled, contenders[name]);
      if (round > 0) micros[name].push((figures.cpuMs * 1_000) / filled.records);
      violations.push(...figures.violations.map((violation) => `${name}: ${violation}`));
    }
  }
  for (const member of Object.values(members)) await member.stop();
  return report(micros, violations, filled);
}

function report(micros, violations, { records }) {
  const over = (one, other) => summary(micros[one].map((each, round) => each - micros[other][round]));
  const overhead = over('runtime', 'eachBatch');
  const figures = {
    records,
    cpuMicrosPerRecord: Object.fromEntries(
      Object.entries(micros).map(([name, all]) => [
        name,
        { median: rounded(median(all)), runs: all.map((each) => rounded(each)) },
      ]),
    ),
    overhead: {
      overEachBatch: overhead,
      overOurAdapterAlone: over('runtime', 'adapter'),
      undecodedOverEachBatch: over('runtimeUndecoded', 'eachBatchUndecoded'),
    },
  };
  const row = {
    figure: 'CPU over bare eachBatch, µs per record',
    value: overhead.median,
    target: `≤ ${limitMicros}`,
    holds: overhead.median <= limitMicros,
  };
  return { figures, rows: [row], violations, isWallClock: false };
}
