// From a produce to its handler, on a topic at rest, against eachBatch of kafkajs alone.
import { median, percentile, rounded } from '../statistics.mjs';

export const help = 'from produce to handler when idle, against eachBatch';

const contenders = ['runtime', 'eachBatch'];
const limit = 1.5;
const keys = 100;

/** @param {ReturnType<typeof import('../context.mjs').createContext>} context */
export async function run(context) {
  const records = context.scaled(250, 20);
  const members = Object.fromEntries(contenders.map((name) => [name, context.newMember()]));
  const samples = Object.fromEntries(contenders.map((name) => [name, []]));
  const violations = [];
  // The first round warms up and does not count.
  for (let round = 0; round <= context.pairs; round++) {
    for (const consumer of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const figures = await listenOnce(context, members[consumer], { consumer, records });
      if (round > 0) samples[consumer].push(figures.samples);
      violations.push(...figures.violations.map((violation) => `${consumer}: ${violation}`));
    }
  }
  for (const member of Object.values(members)) await member.stop();
  return report(samples, violations);
}

/** A topic for each: what an earlier run has left does not come first. */
async function listenOnce({ topic, newGroup, feeder }, member, { consumer, records }) {
  const { config } = await topic({ records: 0, keys });
  await member.call('listen', { consumer, config, group: newGroup(), keys, records });
  await feeder.call('feedSlowly', { config, records, keys, everyMs: 20 });
  return member.call('heard');
}

function report(samples, violations) {
  const at = (name, share) => samples[name].map((run) => percentile(run, share));
  const figures = {};
  const rows = [];
  for (const [label, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ]) {
    const [runtime, eachBatch] = contenders.map((name) => at(name, share));
    const ratio = median(runtime.map((each, round) => each / eachBatch[round]));
    figures[label] = {
      runtimeMs: rounded(median(runtime)),
      eachBatchMs: rounded(median(eachBatch)),
      ratio: rounded(ratio),
    };
    const value = `${rounded(ratio)} × ${rounded(median(eachBatch))} ms`;
    rows.push({ figure: `idle produce to handler ${label}`, value, target: `≤ ${limit} ×`, holds: ratio <= limit });
  }
  return { figures, rows, violations, isWallClock: true };
}
