// What a handler waits for. Durations are seeded, so that all runs wait alike.

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

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * @param {{ kind: 'none' } | { kind: 'timer', ms: number } | { kind: 'turn' } | { kind: 'model' } | { kind: 'http', url: string }} wait
 * @returns {(() => Promise<unknown>) | undefined} undefined when there is nothing to wait for
 */
export function createWork(wait) {
  const random = randomOf(5);
  if (wait.kind === 'timer') return () => sleep(wait.ms);
  if (wait.kind === 'model') return () => sleep(modelLatency(random));
  if (wait.kind === 'http') {
    return async () => {
      const response = await fetch(`${wait.url}?ms=${Math.round(modelLatency(random))}`);
      if (response.status !== 200) throw new Error(`the stub answers ${response.status}`);
      await response.json();
    };
  }
  return undefined;
}
