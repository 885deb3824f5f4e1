// Ten thousand handlers in flight in one process: its memory, and how late its event loop comes.
import { Child } from '../child.mjs';
import { rounded } from '../statistics.mjs';

export const help = '10,000 handlers in flight: memory, and delay of the event loop';

const limits = { maxRssMb: 400, loopDelayMs: 20 };

/** @param {ReturnType<typeof import('../context.mjs').createContext>} context */
export async function run(context) {
  const inFlight = context.scaled(10_000, 100);
  const records = 4 * inFlight;
  // Each key once, so that only the limit holds anything back.
  const filled = await context.topic({ records, keys: records, textBytes: 1_000 });
  const stub = new Child('stub-server.mjs');
  const url = await stub.call('listen');
  const timers = await runOne(context, filled, { inFlight, wait: { kind: 'model' } });
  const http = await runOne(context, filled, { inFlight, wait: { kind: 'http', url } });
  const answered = await stub.call('answered');
  await stub.stop();
  const violations = [...faultsOf('timers', timers, inFlight), ...faultsOf('HTTP', http, inFlight)];
  if (answered !== records) violations.push(`HTTP: ${answered} calls for ${records} records`);
  const latency = 'log-normal, median 3 s, 95th percentile 15 s, capped at 20 s, seeded';
  const figures = { latency, inFlight, records, timers, http };
  return { figures, rows: [...rowsOf('timers', timers), ...rowsOf('HTTP', http)], violations, isWallClock: true };
}

/** A process of its own: peak memory is that of its whole life. */
async function runOne(context, filled, { inFlight, wait }) {
  const member = context.newMember();
  const settings = { maxInFlight: inFlight };
  const figures = await context.consume(member, filled, { consumer: 'runtime', settings, wait, watchesLoop: true });
  await member.stop();
  return figures;
}

function faultsOf(name, { mostInFlight, violations }, inFlight) {
  const reached = mostInFlight === inFlight ? [] : [`${mostInFlight} handlers were in flight, of ${inFlight}`];
  return [...violations, ...reached].map((violation) => `${name}: ${violation}`);
}

function rowsOf(name, { maxRssMb, loopDelayMs }) {
  const { p99 } = loopDelayMs;
  return [
    {
      figure: `peak memory, ${name}, MB`,
      value: rounded(maxRssMb, 0),
      target: `≤ ${limits.maxRssMb}`,
      holds: maxRssMb <= limits.maxRssMb,
      isWallClock: false,
    },
    {
      figure: `event loop delay p99, ${name}, ms`,
      value: rounded(p99),
      target: `≤ ${limits.loopDelayMs}`,
      holds: p99 <= limits.loopDelayMs,
    },
  ];
}
