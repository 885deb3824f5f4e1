// Documents through HTTP, many clients at a time: acceptance, and what becomes of it.
import { percentile, rounded } from '../../consumer/statistics.mjs';
import { textOf } from '../documents.mjs';
import { check, measure, openWorld } from '../world.mjs';

export const help = 'through HTTP with 64 clients: accepted and settled a second, latency of acceptance';

const clients = 64;

/** @param {import('../world.mjs').PartOptions} options */
export async function run({ compact, rounds, scaled, watch }) {
  const world = await openWorld({ compact });
  watch(world);
  try {
    const documents = scaled(4_000, 200);
    const results = [];
    for (let round = 0; round <= rounds; round++) {
      const figures = await postAll(world, `door${round}`, documents);
      if (round > 0) results.push(figures);
    }
    return report(results, world.violations);
  } finally {
    await world.close();
  }
}

async function postAll(world, run, documents) {
  const times = [];
  let next = 0;
  let acceptedPerSecond = 0;
  const client = async () => {
    while (next < documents) times.push(await post(world.book, run, next++));
  };
  const begin = async () => {
    const beganAt = performance.now();
    await Promise.all(Array.from({ length: clients }, client));
    acceptedPerSecond = (documents / (performance.now() - beganAt)) * 1_000;
  };
  const figures = await measure(world, { run, documents, begin });
  await check(world, { run, documents });
  return { ...figures, acceptedPerSecond, times };
}

/** Posts a document; resolves with the milliseconds to its 202. */
export async function post({ url, apiKey }, run, number) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ documentId: `${run}-${number}`, text: textOf(run, number) });
  const beganAt = performance.now();
  const response = await fetch(`${url}/v1/documents`, { method: 'POST', headers, body });
  const answer = await response.text();
  if (response.status !== 202) throw new Error(`document ${number} was answered with ${response.status}: ${answer}`);
  return performance.now() - beganAt;
}

function report(results, violations) {
  const times = results.flatMap((result) => result.times);
  const middle = results.toSorted((a, b) => a.perSecond - b.perSecond)[results.length >> 1];
  const accept = { p50: rounded(percentile(times, 0.5)), p99: rounded(percentile(times, 0.99)) };
  const figures = {
    documents: middle.documents,
    acceptedPerSecond: Math.round(middle.acceptedPerSecond),
    settledPerSecond: Math.round(middle.perSecond),
    acceptMs: accept,
    cpuSecondsPer1000: rounded(middle.cpu.total),
    byProcess: Object.fromEntries(
      Object.entries(middle.cpu.byProcess).map(([name, value]) => [name, rounded(value, 3)]),
    ),
  };
  const row = (figure, value) => ({ figure: `door: ${figure}`, value: String(value), target: '', holds: true });
  const rows = [
    row('accepted a second', figures.acceptedPerSecond),
    row('settled a second', figures.settledPerSecond),
    row('posted to 202, p50', `${accept.p50} ms`),
    row('posted to 202, p99', `${accept.p99} ms`),
    { ...row('CPU-seconds per 1,000', figures.cpuSecondsPer1000), isWallClock: false },
  ];
  return { figures, rows, violations, isWallClock: true };
}
