// Ten thousand handlers in flight in one process: its memory, and how late its event loop comes.
import { Child } from '../child.mjs';
import { rounded } from '../statistics.mjs';

export const help = '10,000 handlers in flight: memory, and delay of the event loop';

const limits = { maxRssMb: 400, loopDelayMs: 20 };

/** What is in flight, and for whom. Both clients of HTTP are called without the runtime too: what they cost is not ours. */
const kinds = {
  timers: { consumer: 'runtime', kind: 'model' },
  HTTP: { consumer: 'runtime', kind: 'http' },
  'HTTP without the runtime': { consumer: 'calls', kind: 'http', isBaseline: true },
  fetch: { consumer: 'runtime', kind: 'fetch', isBaseline: true },
  'fetch without the runtime': { consumer: 'calls', kind: 'fetch', isBaseline: true },
};

/** @param {ReturnType<typeof import('../context.mjs').createContext>} context */
export async function run(context) {
  const inFlight = context.scaled(10_000, 100);
  const records = 4 * inFlight;
  // Each key once, so that only the limit holds anything back.
  const filled = await context.topic({ records, keys: records, textBytes: 1_000 });
  const figures = {};
  const rows = [];
  const violations = [];
  for (const [name, kind] of Object.entries(kinds)) {
    if (!context.isWanted(name)) continue;
    const found = await runOne(context, filled, { ...kind, inFlight });
    figures[name] = found;
    rows.push(...rowsOf(name, found, kind));
    violations.push(...faultsOf(name, found, kind.isBaseline ? found.mostInFlight : inFlight));
  }
  const latency = 'log-normal, median 3 s, 95th percentile 15 s, capped at 20 s, seeded';
  return { figures: { latency, inFlight, records, ...figures }, rows, violations, isWallClock: true };
}

/** Processes of its own: peak memory is that of a whole life. */
async function runOne(context, filled, { consumer, kind, inFlight }) {
  const member = context.newMember();
  const stub = new Child('stub-server.mjs');
  const url = await stub.call('listen');
  const settings = { maxInFlight: inFlight };
  const options = { consumer, settings, wait: { kind, url }, watchesLoop: true };
  const figures = await (consumer === 'calls'
    ? member.call('consume', { ...filled, ...options })
    : context.consume(member, filled, options));
  const answered = await stub.call('answered');
  await Promise.all([member.stop(), stub.stop()]);
  const isExpected = kind === 'model' || answered === filled.records;
  const missing = isExpected ? [] : [`${answered} calls for ${filled.records} records`];
  return { ...figures, violations: [...figures.violations, ...missing] };
}

function faultsOf(name, { mostInFlight, violations }, inFlight) {
  const reached = mostInFlight === inFlight ? [] : [`${mostInFlight} handlers were in flight, of ${inFlight}`];
  return [...violations, ...reached].map((violation) => `${name}: ${violation}`);
}

function rowsOf(name, { maxRssMb, loopDelayMs }, { isBaseline = false }) {
  const row = (figure, value, limit) => ({
    figure: `${figure}, ${name}`,
    value: rounded(value, 0),
    ...(!isBaseline && { target: `≤ ${limit}`, holds: value <= limit }),
  });
  return [
    { ...row('peak memory in MB', maxRssMb, limits.maxRssMb), isWallClock: false },
    row('event loop delay p99 in ms', loopDelayMs.p99, limits.loopDelayMs),
  ];
}
