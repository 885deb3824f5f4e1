import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import { MemberProcess } from './harness/member-process.js';
import { Platform } from './harness/platform.js';

describe('after kill -9', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start({ partitions: 1 });
  });
  afterAll(() => platform.close());

  it('only records that were neither committed nor finished come again, although many are finished above the oldest one', async () => {
    const group = platform.uniqueGroup();
    const before = ['done-0', 'done-1', 'done-2'];
    const above = Array.from({ length: 10 }, (_, index) => `above-${index}`);
    const held = ['held-0', 'held-1', 'held-2'];
    for (const documentId of before) await platform.publish(documentId, 'finished and committed');
    const victim = await MemberProcess.join(platform.config, group);
    await eventually(async () => (await platform.committed(group)).get(0) === before.length);

    await platform.publish('held-0', 'in flight when the process dies');
    for (const documentId of above.slice(0, 5)) await platform.publish(documentId, 'finished above it');
    await platform.publish('held-1', 'in flight as well');
    for (const documentId of above.slice(5)) await platform.publish(documentId, 'finished above it');
    await platform.publish('held-2', 'in flight as well');
    await Promise.all(held.map((id) => victim.says('started', id)));
    await eventually(async () => (await platform.progress(group)).finishedAbove === above.length);
    await victim.end('SIGKILL');

    const successor = await MemberProcess.join(platform.config, group);
    successor.release();
    const total = before.length + above.length + held.length;
    await eventually(async () => (await platform.committed(group)).get(0) === total);
    await successor.heard();
    expect(successor.documents('started')).toEqual(held);

    await successor.end('SIGTERM');
    expect(await successor.child.exit).toEqual({ code: 0, signal: null });
  }, 120_000);

  it('what was finished is known to every later owner, also when it has passed through several hands', async () => {
    const group = platform.uniqueGroup();
    const documents = Array.from({ length: 6 }, (_, index) => `twice-${index}`);
    await platform.publish('held-through', 'in flight in every process');
    for (const documentId of documents) await platform.publish(documentId, 'finished by the first');
    const first = await MemberProcess.join(platform.config, group);
    await eventually(async () => (await platform.progress(group)).finishedAbove >= documents.length);
    await first.end('SIGKILL');
    // This one gets nothing done that would make it commit, and its last commit must not erase what it was given.
    const second = await MemberProcess.join(platform.config, group);
    await second.says('started', 'held-through');
    await platform.publish('new', 'finished by the second');
    await second.says('finished', 'new');
    await second.end('SIGTERM');

    const third = await MemberProcess.join(platform.config, group);
    third.release();
    const [end] = await platform.admin.endOffsets('document.ingested');
    await eventually(async () => (await platform.committed(group)).get(0) === end?.high);
    await third.heard();
    for (const documentId of [...documents, 'new']) {
      expect(
        [...second.documents('started'), ...third.documents('started')].filter((id) => id === documentId),
      ).toHaveLength(documentId === 'new' ? 1 : 0);
    }
    await third.end('SIGTERM');
  }, 120_000);
});
