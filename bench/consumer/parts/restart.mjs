// `kill -9` of one of two static members: how soon it is back at work, and whether the other one notices.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Child } from '../child.mjs';
import { median, rounded } from '../statistics.mjs';

export const help = 'kill -9 and restart of one of two static members, and its take-over';

const limits = { firstRecordMs: 500, gapMs: 200, takeOverMs: 2_000 };
const sessionTimeoutMs = 6_000;
const keys = 24;
const everyMs = 20;
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** A member, and when it handled its first record. */
class Member {
  /** @param {string} [compileCache] folder in which Node keeps what it has compiled */
  constructor({ config, group }, instanceId, compileCache) {
    const env = compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache };
    const options = JSON.stringify({ config, group, instanceId, sessionTimeoutMs });
    this.startedAt = now();
    this.child = new Child('restart-member.mjs', options, env);
    this.first = new Promise((resolve) => this.child.onTold(({ first }) => resolve(first)));
  }

  async kill() {
    this.child.kill();
    await this.child.exited;
  }
}

/** @param {ReturnType<typeof import('../context.mjs').createContext>} context */
export async function run(context) {
  const { feeder, newGroup, topic, pairs } = context;
  const { config } = await topic({ records: 0, keys });
  const group = newGroup();
  await feeder.call('startSteady', { config, keys, everyMs });
  const compileCache = mkdtempSync(join(tmpdir(), 'anabranch-bench-'));
  const survivor = new Member({ config, group }, 'bench-1', compileCache);
  const first = new Member({ config, group }, 'bench-0');
  await Promise.all([survivor.first, first.first]);
  // Both have joined; a rebalance of theirs may still be under way.
  await delay(5_000);
  const restarts = { plain: [], cached: [] };
  let victim = first;
  // The first restarts warm up the caches of the system and do not count.
  for (let round = 0; round <= pairs; round++) {
    for (const kind of round % 2 === 0 ? ['plain', 'cached'] : ['cached', 'plain']) {
      const cache = kind === 'cached' ? compileCache : undefined;
      const { member, ...figures } = await restartOnce({ config, group, victim, survivor }, cache);
      if (round > 0) restarts[kind].push(figures);
      victim = member;
    }
  }
  const takeOverMs = await takeOver(victim, survivor);
  const published = await feeder.call('stopSteady');
  const violations = await leftovers({ feeder, config, group, published });
  await survivor.child.call('leave');
  await survivor.child.stop();
  rmSync(compileCache, { recursive: true, force: true });
  return report(restarts, takeOverMs, violations);
}

async function restartOnce({ config, group, victim, survivor }, compileCache) {
  const partitions = await survivor.child.call('owned');
  const from = now();
  await victim.kill();
  const member = new Member({ config, group }, 'bench-0', compileCache);
  const at = await member.first;
  await delay(1_000);
  const gapMs = await survivor.child.call('longestGap', { partitions, from, to: now() });
  return { member, firstRecordMs: at - member.startedAt, gapMs };
}

/** From the kill to the first record that the other member handles of what was the killed one's. */
async function takeOver(victim, survivor) {
  const partitions = await victim.child.call('owned');
  const killedAt = now();
  const next = survivor.child.call('next', { partitions });
  await victim.kill();
  return (await next) - killedAt;
}

/** Repeats are allowed after a kill; what is not done in the end is lost. */
async function leftovers({ feeder, config, group, published }) {
  const until = now() + 20_000;
  for (;;) {
    const committed = await feeder.call('committed', { config, group });
    if (committed === published) return [];
    if (now() > until) return [`${committed} of ${published} offsets are committed 20 s after the last record`];
    await delay(250);
  }
}

function report(restarts, takeOverMs, violations) {
  const all = [...restarts.plain, ...restarts.cached];
  const firstRecordMs = (runs) => median(runs.map((each) => each.firstRecordMs));
  const gapMs = median(all.map((each) => each.gapMs));
  const bound = sessionTimeoutMs + limits.takeOverMs;
  const row = (figure, value, limit) => ({
    figure,
    value: rounded(value, 0),
    target: `≤ ${limit}`,
    holds: value <= limit,
  });
  const rows = [
    row('restart to first record, ms', firstRecordMs(restarts.plain), limits.firstRecordMs),
    row('the same with NODE_COMPILE_CACHE, ms', firstRecordMs(restarts.cached), limits.firstRecordMs),
    row('longest gap of the other member, ms', gapMs, limits.gapMs),
    row(`take-over without a restart, ms (session ${sessionTimeoutMs})`, takeOverMs, bound),
  ];
  const shown = (runs) => runs.map((run) => ({ firstRecordMs: rounded(run.firstRecordMs), gapMs: rounded(run.gapMs) }));
  const each = { plain: shown(restarts.plain), cached: shown(restarts.cached) };
  return {
    figures: { sessionTimeoutMs, restarts: each, takeOverMs: rounded(takeOverMs) },
    rows,
    violations,
    isWallClock: true,
  };
}
