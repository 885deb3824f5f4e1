// What is measured of a peer, each with an engine of its own.
import { median, rounded } from '../consumer/statistics.mjs';
import { slow } from '../platform/parts/burst.mjs';
import { check, numbersTo, oneByOne, openWorld, runBacklog, sleep, whenSettled } from './world.mjs';

/** A few hundred documents keep a core busy; of slow ones, all may be in flight. */
const concurrency = { fast: 256, slow: 2_048 };
const killAfterMs = 500;

async function within(peer, options, watch, measure) {
  const world = await openWorld(peer, options);
  try {
    watch(world);
    return { ...(await measure(world)), violations: world.violations, isWallClock: true };
  } finally {
    await world.close();
  }
}

const row = (figure, value) => ({ figure, value: String(value) });

function throughput(peer, { scaled, rounds, watch }) {
  const documents = scaled(6_000, 200);
  return within(peer, { concurrency: concurrency.fast }, watch, async (world) => {
    const results = [];
    for (let round = 0; round <= rounds; round++) {
      const figures = await runBacklog(world, { run: `round${round}`, documents });
      // The first round warms up and does not count.
      if (round > 0) results.push(figures);
    }
    const perSecond = results.map((result) => Math.round(result.perSecond));
    const cpuSecondsPer1000 = results.map((result) => rounded(result.cpu));
    const rows = [
      row('documents a second', Math.round(median(perSecond))),
      row('CPU-seconds per 1,000', rounded(median(cpuSecondsPer1000))),
    ];
    return { figures: { documents, perSecond, cpuSecondsPer1000 }, rows };
  });
}

function idle(peer, { scaled, watch }) {
  return within(peer, { concurrency: concurrency.fast }, watch, async (world) => {
    await oneByOne(world, { run: 'warm', documents: scaled(300, 20) });
    const figures = await oneByOne(world, { run: 'idle', documents: scaled(400, 20) });
    return { figures, rows: [row('idle: submitted to result, p50 / p99', `${figures.p50} / ${figures.p99} ms`)] };
  });
}

function burst(peer, { scaled, rounds, watch }) {
  const documents = scaled(2_000, 50);
  return within(peer, { slow, concurrency: concurrency.slow }, watch, async (world) => {
    const ratios = [];
    for (let round = 0; round <= rounds; round++) {
      const { seconds, slowestMs } = await runBacklog(world, { run: `burst${round}`, documents });
      if (round > 0) ratios.push(rounded((seconds * 1_000) / slowestMs));
    }
    const figures = { documents, makespanOverIdeal: ratios };
    return { figures, rows: [row(`makespan ÷ ideal of ${documents} slow documents`, median(ratios))] };
  });
}

/** `kill -9` of the worker with slow work in flight, and its start: when work goes on, and when what was in flight is done. */
function crash(peer, { scaled, watch }) {
  const documents = scaled(200, 20);
  return within(peer, { slow, concurrency: concurrency.fast }, watch, async (world) => {
    const numbers = numbersTo(documents);
    await world.engine.fill('killed', numbers);
    await sleep(killAfterMs);
    world.worker.kill();
    await world.worker.exited;
    const beganAt = Date.now();
    const started = world.startWorker();
    const first = Promise.withResolvers();
    world.worker.onTold(({ firstWorkAt }) => first.resolve(firstWorkAt));
    await started;
    const lastAt = await whenSettled(world, 'killed', numbers);
    const firstMs = (await Promise.race([first.promise, sleep(1_000).then(() => Infinity)])) - beganAt;
    await check(world, { run: 'killed', documents });
    const figures = { documents, firstWorkMs: firstMs, allSettledSeconds: rounded((lastAt - beganAt) / 1_000) };
    const rows = [
      row('kill -9: start to first work', `${firstMs} ms`),
      row('kill -9: start to all settled', `${figures.allSettledSeconds} s`),
    ];
    return { figures, rows };
  });
}

export const parts = {
  throughput: { help: 'a backlog: documents a second and processor time', run: throughput },
  idle: { help: 'one document at a time: from submission to the result', run: idle },
  burst: { help: 'makespan of a burst with the slow model, against the ideal', run: burst },
  crash: {
    help: 'kill -9 of the worker: from its start to its first work, and to the end of what was in flight',
    run: crash,
  },
};
