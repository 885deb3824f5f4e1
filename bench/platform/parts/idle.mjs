// One document at a time, on a platform at rest: what it adds to a model that answers at once.
import { percentile, rounded } from '../../consumer/statistics.mjs';
import { textOf } from '../documents.mjs';
import { check, openWorld } from '../world.mjs';

export const help = 'latency of single documents on a platform at rest, and of their acceptance';

const targets = { separate: { p50: 10, p99: 20 }, compact: { p50: 5, p99: 15 } };
/** On a clock that all processes share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {import('../world.mjs').PartOptions} options */
export async function run({ compact, scaled, watch }) {
  const world = await openWorld({ compact });
  watch(world);
  try {
    const documents = scaled(400, 20);
    await oneByOne(world, 'warm', scaled(300, 20));
    const kafka = await oneByOne(world, 'kafka', documents);
    const http = await posted(world, 'http', documents);
    return report({ kafka, ...http }, targets[compact ? 'compact' : 'separate'], world.violations);
  } finally {
    await world.close();
  }
}

/** From publish to the record of its settlement, as a consumer gets it. */
async function oneByOne(world, run, documents) {
  const times = [];
  for (let number = 0; number < documents; number++) {
    const enriched = world.listener.next(`${run}-${number}`);
    const beganAt = await world.feeder.call('publish', { run, number });
    times.push((await enriched).receivedAt - beganAt);
    // Not in step with anybody's timer.
    await sleep(20 * (0.5 + Math.random()));
  }
  await check(world, { run, documents });
  return times;
}

async function posted(world, run, documents) {
  const { url, apiKey } = world.book;
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const accepted = [];
  const settled = [];
  for (let number = 0; number < documents; number++) {
    const documentId = `${run}-${number}`;
    const enriched = world.listener.next(documentId);
    const body = JSON.stringify({ documentId, text: textOf(run, number) });
    const beganAt = now();
    const response = await fetch(`${url}/v1/documents`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    if (response.status !== 202) throw new Error(`document ${number} was answered with ${response.status}`);
    accepted.push(now() - beganAt);
    settled.push((await enriched).receivedAt - beganAt);
    await sleep(20 * (0.5 + Math.random()));
  }
  await check(world, { run, documents });
  return { accepted, http: settled };
}

function report(samples, target, violations) {
  const figures = Object.fromEntries(
    Object.entries(samples).map(([name, times]) => {
      return [
        name,
        {
          p50: rounded(percentile(times, 0.5)),
          p95: rounded(percentile(times, 0.95)),
          p99: rounded(percentile(times, 0.99)),
        },
      ];
    }),
  );
  const rows = [
    ['idle: published to enriched', figures.kafka, target],
    ['idle: posted to enriched', figures.http, null],
    ['idle: posted to 202', figures.accepted, null],
  ].flatMap(([figure, found, limits]) =>
    ['p50', 'p99'].map((share) => ({
      figure: `${figure}, ${share}`,
      value: `${found[share]} ms`,
      target: limits === null ? '' : `≤ ${limits[share]} ms`,
      holds: limits === null || found[share] <= limits[share],
    })),
  );
  return { figures, rows, violations, isWallClock: true };
}
