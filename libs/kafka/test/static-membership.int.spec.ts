import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import { MemberProcess } from './harness/member-process.js';
import { Platform } from './harness/platform.js';

const partitions = 6;
const session = { sessionTimeoutMs: 3_000, heartbeatIntervalMs: 500 };

describe('members with an instance id', () => {
  let platform: Platform;
  let group: string;
  const members: MemberProcess[] = [];

  beforeEach(async () => {
    platform = await Platform.start({ partitions });
  });
  afterEach(async () => {
    for (const member of members.splice(0)) await member.end('SIGKILL');
    await platform.close();
  });

  const spawn = (instanceId: string, settings = {}) => {
    const member = MemberProcess.spawn(platform.config, group, { ...session, instanceId, ...settings });
    members.push(member);
    return member;
  };
  const join = async (instanceId: string, settings = {}) => {
    const member = spawn(instanceId, settings);
    await member.child.message('joined');
    return member;
  };
  /** A group of these members, each with the same number of partitions. */
  const startGroup = async (ids: readonly string[], settings = {}) => {
    group = platform.uniqueGroup();
    const joined: MemberProcess[] = [];
    for (const id of ids) joined.push(await join(id, settings));
    await eventually(() => joined.every(({ assignments }) => assignments.at(-1)?.length === partitions / ids.length));
    return joined;
  };
  const publish = async (prefix: string, count: number) => {
    const documents = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
    for (const documentId of documents) await platform.publish(documentId, 'text');
    return documents;
  };
  const finished = () => members.flatMap((member) => member.documents('finished'));

  it('resume after kill -9 without a rebalance, and do not disturb each other', async () => {
    // A session that would hold the group up for half a minute if the restarted member were a new one.
    const long = { sessionTimeoutMs: 30_000, heartbeatIntervalMs: 500 };
    const [victim, survivor] = await startGroup(['a', 'b'], long);
    const before = victim?.assignments.at(-1);
    const rebalances = survivor?.assignments.length;
    await victim?.end('SIGKILL');

    const documents = await publish('killed', 24);
    const successor = await join('a', long);
    await eventually(() => documents.every((documentId) => finished().includes(documentId)));
    expect(successor.assignments).toEqual([before]);
    expect(survivor?.assignments).toHaveLength(rebalances ?? -1);
  });

  it('lose their seat to a later process of the same id: the older one stops, says the id, and exits non-zero', async () => {
    const [older] = await startGroup(['contested']);
    const newer = await join('contested');
    const fatal = await older?.child.message('fatal');
    expect(fatal?.['reason']).toContain(`"contested"`);
    expect(fatal?.['reason']).toContain(group);
    expect(await older?.child.exit).toEqual({ code: 1, signal: null });

    const documents = await publish('contested', 12);
    await eventually(() => documents.every((documentId) => newer.documents('finished').includes(documentId)));
    expect(newer.child.lines.some(({ msg }) => msg === 'fatal')).toBe(false);
  });

  it('commit nothing and stop when they thaw after a replacement has worked', async () => {
    const [frozen] = await startGroup(['frozen']);
    await platform.publish('held-by-frozen', 'in flight when the process freezes');
    await frozen?.says('started', 'held-by-frozen');
    frozen?.child.kill('SIGSTOP');
    const frozenAt = Date.now();

    const replacement = await join('frozen');
    const documents = await publish('thaw', 12);
    replacement.release();
    const all = ['held-by-frozen', ...documents];
    await eventually(() => all.every((documentId) => replacement.documents('finished').includes(documentId)));
    const ends = await platform.admin.endOffsets('document.ingested');
    const isAllCommitted = async () => {
      const committed = await platform.committed(group);
      return ends.every(({ partition, high }) => high === 0 || committed.get(partition) === high);
    };
    await eventually(isAllCommitted);
    await eventually(() => Date.now() - frozenAt > session.sessionTimeoutMs);

    frozen?.child.kill('SIGCONT');
    frozen?.release();
    await frozen?.child.message('fatal');
    expect(await frozen?.child.exit).toEqual({ code: 1, signal: null });
    expect(await isAllCommitted()).toBe(true);
    expect(replacement.child.lines.some(({ msg }) => msg === 'fatal')).toBe(false);
  });

  it('go through a rolling restart without a rebalance', async () => {
    const ids = ['0', '1', '2'];
    const long = { sessionTimeoutMs: 60_000, heartbeatIntervalMs: 500 };
    const started = await startGroup(ids, long);
    const counts = started.map(({ assignments }) => assignments.length);
    const own = started.map(({ assignments }) => assignments.at(-1));
    const documents = await publish('rolling', 12);
    const current = [...started];
    for (const [index, id] of ids.entries()) {
      await current[index]?.end('SIGTERM');
      documents.push(...(await publish(`while-${id}-is-away`, 12)));
      current[index] = await join(id, long);
    }
    await eventually(() => documents.every((documentId) => finished().includes(documentId)));
    expect(started.map(({ assignments }) => assignments.length)).toEqual(counts);
    expect(current.map(({ assignments }) => assignments)).toEqual(own.map((partitionsOfOne) => [partitionsOfOne]));
    expect(finished().sort()).toEqual([...documents].sort());
  }, 120_000);

  it('give their partitions away at once when they are removed', async () => {
    group = platform.uniqueGroup();
    const topics = { 'document.ingested': { handler: () => Promise.resolve() } };
    const settings = { sessionTimeoutMs: 30_000, heartbeatIntervalMs: 500, instanceId: 'removed' };
    const removed = platform.consumer({ group, topics, settings });
    await removed.start();
    const staying = spawn('staying');
    await eventually(() => staying.assignments.at(-1)?.length === partitions / 2);
    await removed.stop(5_000, { isRemoved: true });
    await eventually(() => staying.assignments.at(-1)?.length === partitions);
  });
});
