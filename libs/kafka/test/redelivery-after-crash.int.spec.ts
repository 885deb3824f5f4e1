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

  it('a restarted process gets again what was not committed, and nothing else', async () => {
    const group = platform.uniqueGroup();
    const before = ['done-0', 'done-1', 'done-2'];
    const above = ['above-0', 'above-1', 'above-2'];
    const held = ['held-0', 'held-1'];
    for (const documentId of before) await platform.publish(documentId, 'finished and committed');
    const victim = await MemberProcess.join(platform.config, group);
    await eventually(async () => (await platform.committed(group)).get(0) === before.length);

    await platform.publish('held-0', 'in flight when the process dies');
    for (const documentId of above) await platform.publish(documentId, 'finished above the oldest one in flight');
    await platform.publish('held-1', 'in flight as well');
    await Promise.all([
      ...above.map((id) => victim.says('finished', id)),
      ...held.map((id) => victim.says('started', id)),
    ]);
    await victim.end('SIGKILL');

    const successor = await MemberProcess.join(platform.config, group);
    successor.release();
    const total = before.length + above.length + held.length;
    await eventually(async () => (await platform.committed(group)).get(0) === total);
    expect(successor.documents('finished').sort()).toEqual([...above, ...held].sort());

    await successor.end('SIGTERM');
    expect(await successor.child.exit).toEqual({ code: 0, signal: null });
  }, 40_000);
});
