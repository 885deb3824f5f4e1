import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import { MemberProcess } from './harness/member-process.js';
import { Platform } from './harness/platform.js';

const partitions = 2;

describe('a partition that moves while its handlers run', () => {
  let platform: Platform;
  const members: MemberProcess[] = [];

  beforeAll(async () => {
    platform = await Platform.start({ partitions });
  });
  afterAll(async () => {
    for (const member of members) await member.end('SIGKILL');
    await platform.close();
  });

  it('is committed by its new owner alone; the old one’s handlers end later, and know that their effects are stale', async () => {
    const group = platform.uniqueGroup();
    const held = Array.from({ length: 8 }, (_, index) => `held-${index}`);
    const publish = async (documents: readonly string[]) => {
      for (const documentId of documents) await platform.publish(documentId, 'text');
    };
    const join = async () => {
      const member = await MemberProcess.join(platform.config, group);
      members.push(member);
      return member;
    };
    const old = await join();
    await publish(held);
    await Promise.all(held.map((documentId) => old.says('started', documentId)));
    const partitionOf = new Map(old.lines('started').map((line) => [line['documentId'], Number(line['partition'])]));

    const fresh = await join();
    const moved = Number(fresh.assignments.at(-1)?.[0]?.split('/').at(-1));
    const heldIn = (partition: number) => held.filter((documentId) => partitionOf.get(documentId) === partition);
    const kept = 1 - moved;
    expect([heldIn(moved).length, heldIn(kept).length].every((count) => count > 0)).toBe(true);
    await Promise.all(heldIn(moved).map((documentId) => fresh.says('started', documentId)));
    const fast = Array.from({ length: 12 }, (_, index) => `fast-${index}`);
    await publish(fast);
    // The new owner has finished all that lies behind its oldest record, and carries that with its commit.
    await eventually(() =>
      fast.every((id) => [old, fresh].some((member) => member.documents('finished').includes(id))),
    );
    const above = fresh.documents('finished').length;
    expect(above).toBeGreaterThan(0);
    await eventually(async () => (await platform.progress(group, moved)).finishedAbove === above);
    const before = await platform.progress(group, moved);

    old.release();
    const ends = await platform.admin.endOffsets('document.ingested');
    const isDone = async (partition: number) => {
      const { offset } = await platform.progress(group, partition);
      return offset === ends.find((end) => end.partition === partition)?.high;
    };
    await eventually(() => isDone(kept));
    await Promise.all(held.map((documentId) => old.says('finished', documentId)));
    // By now the old owner has committed all it may.
    expect(await platform.progress(group, moved)).toEqual(before);
    const staleness = old.lines('finished').map((line) => [line['documentId'], line['isAborted']]);
    expect(Object.fromEntries(staleness)).toMatchObject({
      ...Object.fromEntries(heldIn(moved).map((id) => [id, true])),
      ...Object.fromEntries(heldIn(kept).map((id) => [id, false])),
    });

    fresh.release();
    await eventually(() => isDone(moved));
    await fresh.heard();
    expect(fresh.documents('finished')).toEqual(expect.arrayContaining(heldIn(moved)));
  }, 60_000);
});
