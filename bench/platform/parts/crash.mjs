// `kill -9` of all services at once, with slow calls in flight: when those go on, and when everything is done.
import { waitFor } from '../../../tools/stack/run/wait.mjs';
import { rounded } from '../../consumer/statistics.mjs';
import { readCalls } from '../invariants.mjs';
import { startOf } from '../process-tree.mjs';
import { allEnriched, check, openWorld, signalServices } from '../world.mjs';
import { slow } from './burst.mjs';

export const help =
  'kill -9 of all services while slow calls run: from their start to the first call again, and to the end';

const giveUpAfterMs = 60_000;

/** @param {import('../world.mjs').PartOptions} options */
export async function run({ compact, scaled, watch }) {
  const expected = { run: 'killed', documents: scaled(200, 20) };
  const world = await openWorld({ compact, slow, isKilled: true });
  const { platform } = world;
  watch(world);
  try {
    await world.feeder.call('fill', { run: expected.run, count: expected.documents });
    // As many calls as documents: most of them take longer than that took.
    await until('calls of the model', () => readCalls(platform.stubFolder).length >= expected.documents);
    const killed = platform.services.map(({ pid }) => pid);
    const killedAt = Date.now();
    signalServices(world, 'SIGKILL');
    const started = () => platform.services.filter(({ pid }) => !killed.includes(pid));
    await until('the start of all services', () => started().length === killed.length);
    const beganAt = Math.min(...started().map(({ pid }) => startOf(pid)));
    const lastAt = await allEnriched(world, expected);
    await check(world, expected);
    const again = callsAgain(readCalls(platform.stubFolder), killedAt);
    if (again.length === 0) world.violations.push('no call was made again: nothing was interrupted');
    return report({ ...expected, again, beganAt, lastAt }, world.violations);
  } finally {
    await world.close();
  }
}

const until = (what, isSo) =>
  waitFor(() => (isSo() ? true : null), { signal: new AbortController().signal, timeoutMs: giveUpAfterMs, what });

/** Calls after the kill that had been made before: their answers were not stored. */
function callsAgain(calls, killedAt) {
  const before = new Set(calls.filter(({ at }) => at <= killedAt).map(({ key }) => key));
  return calls.filter(({ key, at }) => at > killedAt && before.has(key));
}

function report({ documents, again, beganAt, lastAt }, violations) {
  const firstMs = Math.round(Math.min(...again.map(({ at }) => at)) - beganAt);
  const figures = {
    documents,
    callsAgain: again.length,
    firstMs,
    allSettledSeconds: rounded((lastAt - beganAt) / 1_000),
  };
  const rows = [
    { figure: 'kill -9 of all: start to the first of the interrupted calls', value: `${firstMs} ms` },
    { figure: `kill -9 of all: start to all ${documents} settled`, value: `${figures.allSettledSeconds} s` },
  ];
  return { figures, rows, violations, isWallClock: true };
}
