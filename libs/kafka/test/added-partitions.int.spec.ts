import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import { systemClock } from '../src/clock.js';
import { topicNameOf } from '../src/kafka-config.js';
import { KafkajsSendPort } from '../src/kafkajs/send-port.js';
import { silentLogger } from '../src/logger.js';
import { addPartitions } from './harness/group-state.js';
import { MemberProcess } from './harness/member-process.js';
import { Platform } from './harness/platform.js';

/** Long enough that no session ends in between, which would bring a rebalance, and with it the partitions. */
const settings = { sessionTimeoutMs: 30_000, heartbeatIntervalMs: 500 };

describe('partitions that are added while a static member is away', () => {
  let platform: Platform;
  const members: MemberProcess[] = [];

  beforeEach(async () => {
    platform = await Platform.start({ partitions: 2 });
  });
  afterEach(async () => {
    for (const member of members.splice(0)) await member.end('SIGKILL');
    await platform.close();
  });

  const join = async (group: string, instanceId: string): Promise<MemberProcess> => {
    const member = await MemberProcess.join(platform.config, group, { ...settings, instanceId });
    members.push(member);
    return member;
  };

  it.each([
    ['the only one', []],
    ['one of two', ['staying']],
  ])(
    'are consumed when it is back on its seat, if it is %s',
    async (_, others) => {
      const group = platform.uniqueGroup();
      const restarted = await join(group, 'restarted');
      for (const instanceId of others) await join(group, instanceId);
      await eventually(() => restarted.assignments.at(-1)?.length === 2 - others.length);
      await restarted.end('SIGKILL');
      await addPartitions(platform.config, 'document.ingested', 6);
      await join(group, 'restarted');

      const documents = Array.from({ length: 30 }, (__, index) => `document-${index}`);
      for (const documentId of documents) await platform.publish(documentId, 'text');
      const ends = await platform.admin.endOffsets('document.ingested');
      expect(ends.filter(({ high }) => high > 0).length).toBeGreaterThan(2);
      await eventually(() => {
        const finished = new Set(members.flatMap((member) => member.documents('finished')));
        return documents.every((documentId) => finished.has(documentId));
      });
    },
    60_000,
  );
});

describe('partitions that are added', () => {
  it('are among the ends of their topic from then on', async () => {
    const platform = await Platform.start({ partitions: 2 });
    // Just after it was made its partitions may have no leader yet.
    const before = await eventually(() => platform.admin.endOffsets('document.ingested'));
    expect(before).toHaveLength(2);
    await addPartitions(platform.config, 'document.ingested', 5);
    const ends = await eventually(async () => {
      const found = await platform.admin.endOffsets('document.ingested');
      return found.length > 2 ? found : undefined;
    });
    expect(ends.map(({ partition }) => partition).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4]);
    await platform.close();
  }, 60_000);

  it('get what is sent to them at once: a client that does not know them yet loses nothing', async () => {
    const platform = await Platform.start({ partitions: 2 });
    const { config, admin } = platform;
    const port = new KafkajsSendPort(config, silentLogger, systemClock);
    const name = topicNameOf(config, 'document.ingested');
    const record = { key: null, value: Buffer.from('value'), headers: [] };
    await port.send(name, 0, [record]);
    await addPartitions(config, 'document.ingested', 5);
    await port.send(name, 4, [record]);
    const ends = await eventually(() => admin.endOffsets('document.ingested'));
    expect(ends.find(({ partition }) => partition === 4)?.high).toBe(1);
    await port.stop(2_000);
    await platform.close();
  }, 60_000);
});
