// Key-ordered concurrency inside partitions: how near to its ceiling (keys ÷ time per record) the runtime comes.
import { median, rounded } from '../statistics.mjs';

export const help = 'share of the ceiling with 1,000 keys in order, against eachMessage';

const keys = 1_000;
const timer = (ms) => ({ kind: 'timer', ms });
/** Long enough for its rate, and no longer: with eight partitions it handles eight records at a time. */
const baselineMs = 10_000;

/** One record less or more per key would be another ceiling: counts are multiples of the keys. */
const cells = {
  '100 ms, 25,000 records': { topic: 'short', wait: timer(100) },
  '100 ms, longer': { topic: 'long', wait: timer(100), least: 0.97 },
  '10 ms': { topic: 'full', wait: timer(10), least: 0.85 },
  '1 ms': { topic: 'full', wait: timer(1) },
  '0 ms': { topic: 'full', wait: { kind: 'none' } },
  '1 partition, 100 ms': { topic: 'one', wait: timer(100) },
  '32 partitions, 100 ms': { topic: 'many', wait: timer(100) },
  'one hot key, 100 ms': { topic: 'hot', wait: timer(100) },
};

/** So many records the hot key has besides its share: it alone takes this times the wait. */
const hotRecords = 60;

const eachOfThem = (context, records) => keys * context.scaled(records / keys);
const fillPlain = (records, partitions) => (context) =>
  context.topic({ records: eachOfThem(context, records), keys, partitions });

const fillers = {
  short: fillPlain(25_000, 8),
  long: fillPlain(60_000, 8),
  full: fillPlain(500_000, 8),
  one: fillPlain(60_000, 1),
  many: fillPlain(60_000, 32),
  hot: (context) => {
    const hotKeys = [{ key: 0, records: context.scaled(hotRecords) }];
    return context.topic({ records: eachOfThem(context, 25_000), keys, hotKeys });
  },
};

const topicOf = (name) => cells[name]?.topic ?? 'long';

/** @param {ReturnType<typeof import('../context.mjs').createContext>} context */
export async function run(context) {
  const names = [...Object.keys(cells), 'eachMessage'].filter(context.isWanted);
  const topics = {};
  for (const name of new Set(names.map(topicOf))) topics[name] = await fillers[name](context);
  const member = context.newMember();
  const baseline = context.newMember();
  const runs = Object.fromEntries(names.map((name) => [name, []]));
  const violations = [];
  // The first round warms up and does not count; three others are enough for differences of this size.
  for (let round = 0; round <= Math.min(3, context.pairs); round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const figures = await runOne(context, topics, { name, member, baseline });
      if (round > 0) runs[name].push(figures);
      violations.push(...figures.violations.map((violation) => `${name}: ${violation}`));
    }
  }
  await Promise.all([member.stop(), baseline.stop()]);
  return report(runs, topics, violations);
}

function runOne(context, topics, { name, member, baseline }) {
  if (name === 'eachMessage') {
    const options = { consumer: 'eachMessage', wait: timer(100), cutAfterMs: baselineMs };
    return context.consume(baseline, topics.long, options);
  }
  const { topic, wait } = cells[name];
  return context.consume(member, topics[topic], { consumer: 'runtime', wait });
}

/** What the slowest key needs at least: keys run side by side, the records of one do not. */
function idealMs({ wait, topic }, { records }) {
  const more = topic === 'hot' ? records % keys : 0;
  return ((records - more) / keys + more) * (wait.ms ?? 0);
}

function report(runs, topics, violations) {
  const figures = Object.fromEntries(
    Object.entries(runs).map(([name, all]) => [name, describe(all, cells[name], topics[topicOf(name)])]),
  );
  const rows = Object.entries(figures).map(([name, { recordsPerSecond, shareOfCeiling }]) => {
    const least = cells[name]?.least;
    const value = shareOfCeiling === undefined ? `${recordsPerSecond}/s` : `${rounded(100 * shareOfCeiling, 1)} %`;
    return { figure: name, value, ...judged(shareOfCeiling, least) };
  });
  return { figures, rows: [...rows, ...oneToMany(figures)], violations, isWallClock: true };
}

function oneToMany({ '1 partition, 100 ms': one, '32 partitions, 100 ms': many }) {
  if (one === undefined || many === undefined) return [];
  const ratio = one.recordsPerSecond / many.recordsPerSecond;
  return [{ figure: '1 partition ÷ 32', value: rounded(ratio), target: '≥ 0.9', holds: ratio >= 0.9 }];
}

const judged = (share, least) => (least === undefined ? {} : { target: `≥ ${100 * least} %`, holds: share >= least });

function describe(all, cell, topic) {
  const middle = (of) => median(all.map(of));
  const elapsedMs = middle((each) => each.elapsedMs);
  const ideal = cell === undefined ? 0 : idealMs(cell, topic);
  return {
    handled: middle((each) => each.handled),
    elapsedMs: rounded(elapsedMs, 0),
    recordsPerSecond: rounded(
      middle((each) => (each.handled * 1_000) / each.elapsedMs),
      0,
    ),
    ...(ideal > 0 && { shareOfCeiling: rounded(ideal / elapsedMs, 4) }),
    cpuMicrosPerRecord: rounded(middle((each) => (each.cpuMs * 1_000) / each.handled)),
    maxRssMb: rounded(Math.max(...all.map((each) => each.maxRssMb)), 0),
    mostInFlight: Math.max(...all.map((each) => each.mostInFlight)),
  };
}
