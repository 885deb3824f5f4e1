// The process that is measured. One run after the other, so that all but the first find warm code.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answer } from './child.mjs';
import {
  startAdapter,
  startCalls,
  startEachBatch,
  startEachMessage,
  startRuntime,
  startUndecodedRuntime,
} from './consumers.mjs';
import { Tally } from './tally.mjs';
import { createWork } from './work.mjs';

const starters = {
  runtime: startRuntime,
  undecodedRuntime: startUndecodedRuntime,
  adapter: startAdapter,
  eachBatch: startEachBatch,
  eachMessage: startEachMessage,
  calls: startCalls,
};

/** Consumes a filled topic with a new group. @returns figures, invariants included */
async function consume({ consumer, keys, records, wait = { kind: 'none' }, cutAfterMs, watchesLoop, ...options }) {
  const loop = watchesLoop ? watchLoop() : undefined;
  const tally = new Tally({ keys, records });
  const running = await starters[consumer]({ ...options, records, tally, work: createWork(wait) });
  const timer = cutAfterMs === undefined ? undefined : setTimeout(() => tally.cut(), cutAfterMs);
  await tally.complete;
  clearTimeout(timer);
  const delays = loop?.figures();
  await running.stop();
  return { ...tally.figures(), ...delays };
}

const resolutionMs = 10;

/** How late a timer that should fire every 10 ms fires. */
function watchLoop() {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  const lateness = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  return {
    figures() {
      delays.disable();
      const [p50, p99] = [50, 99].map((share) => lateness(delays.percentile(share)));
      return { loopDelayMs: { p50, p99, max: lateness(delays.max), samples: delays.count } };
    },
  };
}

/** Consumes what comes to a topic at rest. @returns the milliseconds from each send to its handling */
async function listen({ consumer, keys, records, ...options }) {
  const samples = [];
  const onEvent = ({ text }) => samples.push(Number(process.hrtime.bigint() - BigInt(text)) / 1e6);
  const tally = new Tally({ keys, records });
  const running = await starters[consumer]({ ...options, tally, onEvent, work: async (event) => onEvent(event) });
  listening = { tally, running, samples };
}

let listening;

async function heard() {
  const { tally, running, samples } = listening;
  await tally.complete;
  await running.stop();
  return { ...tally.figures(), samples };
}

answer({ consume, listen, heard });
