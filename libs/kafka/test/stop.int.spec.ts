import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import type { MemberOptions } from './fixtures/member.js';
import { planned } from './fixtures/plan.js';
import { groupState } from './harness/group-state.js';
import { MemberProcess } from './harness/member-process.js';
import { Platform } from './harness/platform.js';

const drainMs = 5_000;
const stopped = { code: 0, signal: null };

describe('a process that is told to stop', () => {
  let platform: Platform;
  let group: string;
  const members: MemberProcess[] = [];

  beforeEach(async () => {
    platform = await Platform.start({ partitions: 2 });
    group = platform.uniqueGroup();
  });
  afterEach(async () => {
    for (const member of members.splice(0)) await member.end('SIGKILL');
    await platform.close();
  });

  const spawn = (options: Partial<MemberOptions> = {}) => {
    const member = MemberProcess.start({ config: platform.config, group, drainMs, ...options });
    members.push(member);
    return member;
  };
  const join = async (options: Partial<MemberOptions> = {}) => {
    const member = spawn(options);
    await member.child.message('joined');
    return member;
  };
  const publish = async (prefix: string, count: number, text = 'text') => {
    const documents = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
    await Promise.all(documents.map((documentId) => platform.publish(documentId, text)));
    return documents;
  };

  it('starts nothing more, lets short handlers end and commits them, and leaves the long ones to come again', async () => {
    const member = await join({ settings: { maxInFlight: 8 } });
    const long = await publish('held', 4);
    await Promise.all(long.map((documentId) => member.says('started', documentId)));
    const short = await publish('short', 4, planned({ awaitsStop: true, takesMs: 1_000 }));
    await Promise.all(short.map((documentId) => member.says('started', documentId)));
    const waiting = await publish('waiting', 4);
    member.child.kill('SIGTERM');
    expect(await member.child.exit).toEqual(stopped);
    expect(member.documents('finished').sort()).toEqual(short);
    expect(member.documents('started').sort()).toEqual([...long, ...short].sort());
    const [begun, left] = ['stopping', 'left'].map((msg) => Number(member.lines(msg)[0]?.['ranMs']));
    expect(Number(left) - Number(begun)).toBeLessThan(drainMs);

    const successor = await join();
    successor.release();
    await eventually(() => platform.hasNoLag(group));
    await successor.heard();
    expect(successor.documents('started').sort()).toEqual([...long, ...waiting].sort());
  }, 60_000);

  it('while it waits for a broker that is not there, just stops', async () => {
    const member = spawn({ config: { ...platform.config, brokers: ['127.0.0.1:1'] } });
    await member.child.message('waiting for a dependency');
    member.child.kill('SIGTERM');
    expect(await member.child.exit).toEqual(stopped);
  }, 60_000);

  it.each(['starting', 'partitions were assigned'])(
    'just after "%s", stops and has lost nothing',
    async (moment) => {
      const documents = await publish('early', 20);
      const member = spawn();
      await member.child.message(moment);
      member.child.kill('SIGTERM');
      expect(await member.child.exit).toEqual(stopped);
      const successor = await join();
      await eventually(() => platform.hasNoLag(group));
      await successor.heard();
      const finished = [...member.documents('finished'), ...successor.documents('finished')];
      expect(finished.sort()).toEqual(documents.sort());
    },
    60_000,
  );

  it('while its group rebalances, stops; the others handle everything', async () => {
    const settings = { sessionTimeoutMs: 30_000, heartbeatIntervalMs: 500 };
    // In the middle of a join it cannot leave: the others wait for the end of its session.
    const leaving = await join({ settings: { ...settings, sessionTimeoutMs: 3_000 } });
    const frozen = await join({ settings });
    await eventually(() => leaving.assignments.at(-1)?.length === 1);
    // A frozen member keeps the rebalance, which the newcomer begins, from ending before its session does.
    frozen.child.kill('SIGSTOP');
    const newcomer = spawn({ settings });
    await eventually(async () => (await groupState(platform.config, group)) === 'PreparingRebalance');
    const documents = await publish('meanwhile', 20);
    leaving.child.kill('SIGTERM');
    expect(await leaving.child.exit).toEqual(stopped);
    frozen.child.kill('SIGCONT');
    await newcomer.child.message('joined');
    await eventually(() => platform.hasNoLag(group));
    await Promise.all([frozen, newcomer].map((member) => member.heard()));
    const finished = members.flatMap((member) => member.documents('finished'));
    expect([...new Set(finished)].sort()).toEqual(documents.sort());
  }, 60_000);
});
