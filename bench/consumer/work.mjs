// What a handler waits for. Durations are seeded, so that all runs wait alike.

import { Agent, get } from 'node:http';

/** A small generator with 32 bits of state, good enough to draw waits. @see https://gist.github.com/tommyettinger/46a874533244883189143505d203312c */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A model's latency: log-normal with a median of 3 s and a 95th percentile of 15 s, capped at 20 s. */
function modelLatency(random) {
  const median = 3_000;
  const sigma = Math.log(5) / 1.645;
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(20_000, median * Math.exp(sigma * normal));
}

/** One connection per call in flight, kept open for the next one. */
const agent = new Agent({ keepAlive: true });

/** A call by `node:http`, its answer parsed. */
function getJson(url) {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(Buffer.concat(chunks).toString()));
        else reject(new Error(`the stub answers ${response.statusCode}`));
      });
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

async function fetchJson(url) {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`the stub answers ${response.status}`);
  return response.json();
}

const callers = { http: getJson, fetch: fetchJson };

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * @param {{ kind: 'none' } | { kind: 'timer', ms: number } | { kind: 'turn' } | { kind: 'model' } | { kind: 'http' | 'fetch', url: string }} wait
 * @returns {(() => Promise<unknown>) | undefined} undefined when there is nothing to wait for
 */
export function createWork(wait) {
  const random = randomOf(5);
  if (wait.kind === 'timer') return () => sleep(wait.ms);
  if (wait.kind === 'model') return () => sleep(modelLatency(random));
  const call = callers[wait.kind];
  return call && (() => call(`${wait.url}?ms=${Math.round(modelLatency(random))}`));
}
