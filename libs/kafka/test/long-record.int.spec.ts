import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import { MemberProcess } from './harness/member-process.js';
import { Platform } from './harness/platform.js';

/** A process that fetches, decodes and runs its handlers; what the records themselves take comes on top. */
const mostMegabytes = 300;
const patient = { timeoutMs: 60_000, everyMs: 200 };

describe('behind one record that takes very long', () => {
  let platform: Platform;
  let group: string;
  const members: MemberProcess[] = [];

  beforeEach(async () => {
    platform = await Platform.start({ partitions: 1 });
    group = platform.uniqueGroup();
  });
  afterEach(async () => {
    for (const member of members.splice(0)) await member.end('SIGKILL');
    await platform.close();
  });

  const join = async (settings = {}) => {
    const member = await MemberProcess.join(platform.config, group, { instanceId: 'only', ...settings });
    members.push(member);
    return member;
  };
  const publish = async (documents: readonly string[], text = 'text') => {
    await Promise.all(documents.map((documentId) => platform.publish(documentId, text)));
  };

  it('ten thousand others are done, in memory that does not grow with them, and none of them comes again after kill -9', async () => {
    const count = 10_000;
    await publish(['held']);
    const member = await join();
    await member.says('started', 'held');
    await publish(Array.from({ length: count }, (_, index) => `key-${index % 500}`));
    await eventually(async () => (await platform.progress(group)).finishedAbove === count, patient);

    expect((await platform.progress(group)).offset).toBe(0);
    const [position] = await platform.admin.committedOffsets(group, ['document.ingested']);
    expect(position?.metadata.length).toBeLessThan(20);
    const report = await member.report();
    expect(report).toMatchObject({ anabranch_window_records: 1, anabranch_uncarried_records: 0 });
    expect(Number(report['rssBytes']) / 2 ** 20).toBeLessThan(mostMegabytes);

    await member.end('SIGKILL');
    const successor = await join();
    successor.release();
    await eventually(() => platform.hasNoLag(group), patient);
    await successor.heard();
    expect(successor.documents('started')).toEqual(['held']);
  }, 120_000);

  it('and many others that take long, what does not fit into the commit comes again after kill -9, and nothing else', async () => {
    const pairs = 2_500;
    const documents = Array.from({ length: pairs }, (_, index) => [`held-${index}`, `free-${index}`]).flat();
    const settings = { maxInFlight: 2 * pairs, partitionLimits: { maxRecords: 4 * pairs, maxBytes: 64 * 2 ** 20 } };
    await publish(documents);
    const member = await join(settings);
    await eventually(() => member.documents('finished').length === pairs, patient);
    // Each finished record is a stretch of its own, more than the metadata of a commit can name.
    const isCommitted = async () => {
      const { anabranch_uncarried_records: uncarried } = await member.report();
      const { finishedAbove } = await platform.progress(group);
      return finishedAbove > 0 && Number(uncarried) + finishedAbove === pairs && finishedAbove;
    };
    const carried = await eventually(isCommitted, patient);
    expect(carried).toBeLessThan(pairs);
    const [position] = await platform.admin.committedOffsets(group, ['document.ingested']);
    expect(position?.metadata.length).toBeLessThanOrEqual(4_000);

    await member.end('SIGKILL');
    const successor = await join(settings);
    successor.release();
    await eventually(() => platform.hasNoLag(group), patient);
    await successor.heard();
    const again = successor.documents('started').filter((documentId) => documentId.startsWith('free'));
    expect(again).toHaveLength(pairs - carried);
    expect(successor.documents('finished').filter((documentId) => documentId.startsWith('held'))).toHaveLength(pairs);
  }, 120_000);

  it('and a backlog of its own key, other keys flow until the partition’s bound; then it pauses, says so, and goes on after it', async () => {
    const settings = { maxInFlight: 20, partitionLimits: { maxRecords: 50, maxBytes: 64 * 2 ** 20 } };
    const large = 'x'.repeat(12_000);
    const perFetch = (512 * 1024) / large.length;
    const backlog = Array.from({ length: 300 }, () => 'held');
    const before = Array.from({ length: 20 }, (_, index) => `before-${index}`);
    const beyond = Array.from({ length: 20 }, (_, index) => `beyond-${index}`);
    for (const documents of [['held'], before, backlog, beyond]) await publish(documents, large);
    const member = await join(settings);
    await member.child.message('the partition has reached a bound: its fetching pauses');
    await eventually(() => before.every((documentId) => member.documents('finished').includes(documentId)));
    const report = await member.report();
    expect(report).toMatchObject({ anabranch_paused_partitions: 1, health: { ready: true } });
    expect(report['anabranch_window_records']).toBeLessThan(50 + 2 * perFetch);
    expect(member.documents('started').filter((documentId) => beyond.includes(documentId))).toEqual([]);

    member.release();
    await eventually(() => platform.hasNoLag(group), patient);
    await member.heard();
    expect(member.documents('finished').filter((documentId) => documentId === 'held')).toHaveLength(301);
    expect(member.documents('finished')).toEqual(expect.arrayContaining(beyond));
  }, 120_000);
});
