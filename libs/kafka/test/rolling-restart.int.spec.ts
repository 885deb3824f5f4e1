import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import type { ConsumerSettings } from '../src/index.js';
import { planned } from './fixtures/plan.js';
import { MemberProcess } from './harness/member-process.js';
import { auditOwner } from './harness/owner-audit.js';
import { Platform } from './harness/platform.js';

const partitions = 6;
const seats = ['0', '1', '2'];
const maxInFlight = 10;
/** So many records are on their way at any time. */
const load = 40;

describe('a rolling restart of three members under load', () => {
  let platform: Platform;
  let group: string;
  const everybody: MemberProcess[] = [];

  beforeEach(async () => {
    platform = await Platform.start({ partitions });
    group = platform.uniqueGroup();
  });
  afterEach(async () => {
    for (const member of everybody.splice(0)) await member.end('SIGKILL');
    await platform.close();
  });

  const join = async (settings: Partial<ConsumerSettings>) => {
    const member = await MemberProcess.join(platform.config, group, { maxInFlight, ...settings });
    everybody.push(member);
    return member;
  };
  const started = () => everybody.flatMap((member) => member.lines('started'));
  const finished = () => everybody.flatMap((member) => member.lines('finished'));
  const placesOf = (lines: readonly object[]) =>
    lines
      .map((line) => line as { partition: number; offset: number })
      .map(({ partition, offset }) => `${partition}/${offset}`);

  /** Restarts one after the other while records keep coming; returns how many there were. */
  const restartAll = async (settingsOf: (seat: string) => Partial<ConsumerSettings>) => {
    const current = new Map<string, MemberProcess>();
    for (const seat of seats) current.set(seat, await join(settingsOf(seat)));
    await eventually(() => [...current.values()].every(({ assignments }) => assignments.at(-1)?.length === 2));
    const before = everybody.map(({ assignments }) => assignments);
    let isOver = false;
    const produced = produce(() => isOver);
    for (const seat of seats) {
      const done = finished().length;
      await eventually(() => finished().length > done + load);
      const old = current.get(seat);
      await old?.end('SIGTERM');
      expect(await old?.child.exit).toEqual({ code: 0, signal: null });
      const fresh = await join(settingsOf(seat));
      current.set(seat, fresh);
      await eventually(() => fresh.documents('finished').length > 0);
    }
    isOver = true;
    const count = await produced;
    await eventually(() => platform.hasNoLag(group));
    await Promise.all([...current.values()].map((member) => member.heard()));
    return { count, before };
  };

  /** Keeps so many unfinished until told to end. */
  const produce = async (isOver: () => boolean) => {
    let count = 0;
    while (!isOver()) {
      await platform.publish(`key-${count % 20}`, planned({ takesMs: 20 }), { revision: 1 + Math.floor(count / 20) });
      count++;
      await eventually(() => count - new Set(placesOf(finished())).size < load);
    }
    return count;
  };

  /** Nothing is lost, and order is kept. */
  const expectAllInOrder = (count: number) => {
    expect(new Set(placesOf(finished())).size).toBe(count);
    const owners = everybody.map(({ child: { lines } }, index) => ({ name: `process ${index}`, lines }));
    expect(owners.flatMap((owner) => auditOwner(owner, maxInFlight))).toEqual([]);
  };

  it('costs static ones no rebalance, no repetition and no record', async () => {
    const { count, before } = await restartAll((seat) => ({ instanceId: seat, sessionTimeoutMs: 60_000 }));
    expectAllInOrder(count);
    expect(placesOf(started())).toHaveLength(count);
    const own = before.map((assignments) => assignments.at(-1));
    expect(everybody.map(({ assignments }) => assignments)).toEqual([
      ...before,
      ...own.map((assignment) => [assignment]),
    ]);
  }, 90_000);

  it('repeats with dynamic ones at most what is in flight at each rebalance, and loses nothing', async () => {
    const { count } = await restartAll(() => ({}));
    expectAllInOrder(count);
    const rebalances = everybody.reduce((sum, { assignments }) => sum + assignments.length, 0);
    const repeats = placesOf(started()).length - count;
    expect(rebalances).toBeGreaterThan(3 + 3);
    expect(repeats).toBeLessThanOrEqual(rebalances * maxInFlight);
  }, 90_000);
});
