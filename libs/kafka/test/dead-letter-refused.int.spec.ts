import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { topics, type TopicDefinition } from '@anabranch/contracts';
import { eventually } from '@anabranch/test-support';
import { planned } from './fixtures/plan.js';
import { MemberProcess } from './harness/member-process.js';
import { Platform } from './harness/platform.js';
import { readTopic } from './harness/read-topic.js';

const deadLetters: TopicDefinition = { ...topics['dead-letters'], partitions: 1 };
const retry = { maxAttempts: 2, maxBugAttempts: 2, maxAgeMs: 120_000, firstWaitMs: 50, maxWaitMs: 200 };

describe('a dead letter that cannot be sent', () => {
  let platform: Platform;
  let group: string;
  let member: MemberProcess;

  beforeEach(async () => {
    platform = await Platform.start({ partitions: 1 });
    group = platform.uniqueGroup();
    member = await MemberProcess.join(platform.config, group, { retry });
  });
  afterEach(async () => {
    await member.end('SIGKILL');
    await platform.close();
  });

  const deleteDeadLetters = async () => {
    await platform.admin.deleteTopics([deadLetters.name]);
    await eventually(async () => (await platform.admin.describeTopics([deadLetters.name])).length === 0);
  };
  const limitDeadLetters = (maxBytes: number) => platform.limitBatches(deadLetters.name, maxBytes);

  it.each([
    ['because its topic is missing', () => deleteDeadLetters(), () => platform.admin.ensureTopics([deadLetters])],
    ['because the broker refuses it', () => limitDeadLetters(100), () => limitDeadLetters(1_000_000)],
  ])(
    '%s, holds the offset and its key, raises an alarm, and is sent when it can be; other keys flow',
    async (_, spoil, mend) => {
      await spoil();
      await platform.publish('poison', planned({ failsAlways: 'poison' }));
      await platform.publish('poison', 'the next of its key', { revision: 2 });
      const others = Array.from({ length: 10 }, (__, index) => `other-${index}`);
      for (const other of others) await platform.publish(other, 'text');

      await eventually(() => others.every((other) => member.documents('finished').includes(other)));
      // Others are committed above it, and more than one try has failed: it is not passed even so.
      await eventually(async () => (await platform.progress(group)).finishedAbove === others.length);
      await eventually(async () => Number((await member.report())['anabranch_settlement_failures_total']) > 2);
      expect(member.lines('a failed record cannot be settled; its key waits').length).toBeGreaterThan(0);
      expect((await platform.progress(group)).offset).toBe(0);
      expect(member.documents('started').filter((id) => id === 'poison')).toHaveLength(1);
      expect(await member.report()).toMatchObject({ anabranch_paused_partitions: 0, anabranch_intake_open: 1 });

      await mend();
      await eventually(() => platform.hasNoLag(group));
      await member.heard();
      const own = member.child.lines.filter((line) => line['documentId'] === 'poison').map((line) => line['msg']);
      expect(own).toEqual(['started', 'failed', 'settled', 'started', 'finished']);
      const [letter] = await readTopic(platform.config, deadLetters.name, 1);
      expect(String(letter?.key)).toBe('poison');
    },
    60_000,
  );
});
