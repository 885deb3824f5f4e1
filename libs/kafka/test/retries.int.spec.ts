import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import { planned, type PlannedFailure } from './fixtures/plan.js';
import { MemberProcess } from './harness/member-process.js';
import { Platform } from './harness/platform.js';

const retry = { maxAttempts: 5, maxBugAttempts: 2, maxAgeMs: 120_000, firstWaitMs: 100, maxWaitMs: 400 };

describe('a record that fails again and again', () => {
  let platform: Platform;
  let member: MemberProcess;
  let group: string;

  beforeAll(async () => {
    platform = await Platform.start({ partitions: 1 });
  });
  beforeEach(() => {
    group = platform.uniqueGroup();
  });
  afterEach(() => member.end('SIGKILL'));
  afterAll(() => platform.close());

  const start = async (defers = false) => {
    member = MemberProcess.start({ config: platform.config, group, settings: { retry }, defers });
    await member.child.message('joined');
  };
  const publish = async (documentId: string, plan: Parameters<typeof planned>[0] = {}) =>
    platform.publish(documentId, planned(plan));
  const startsOf = (documentId: string) => member.documents('started').filter((id) => id === documentId).length;
  it.each<[PlannedFailure, number, string]>([
    ['later', 5, 'RETRIES_EXHAUSTED'],
    ['bug', 2, 'HANDLER_FAILED'],
  ])(
    'with "%s" is tried %d times, then becomes a dead letter, and the next of its key goes on',
    async (failure, tries, code) => {
      const document = `fails with ${failure}`;
      await publish(document, { failsAlways: failure });
      await platform.publish(document, 'the next of its key', { revision: 2 });
      const others = Array.from({ length: 20 }, (_, index) => `beside ${failure} ${index}`);
      for (const other of others) await publish(other);
      await start();

      await eventually(() => others.every((other) => member.documents('finished').includes(other)));
      // Between two tries nothing stands still: the partition is read on, and the service is healthy.
      const waiting = await member.report();
      expect(waiting).toMatchObject({ anabranch_paused_partitions: 0, anabranch_intake_open: 1 });
      const settled = await member.says('settled', document);
      expect(settled).toMatchObject({ code, attempts: tries });
      await eventually(() => platform.hasNoLag(group));
      await member.heard();
      expect(startsOf(document)).toBe(tries + 1);
      const own = member.child.lines.filter((line) => line['documentId'] === document).map((line) => line['msg']);
      expect(own.slice(-3)).toEqual(['settled', 'started', 'finished']);
      expect(member.assignments).toHaveLength(1);
    },
    60_000,
  );

  it('and asks for a wait of two minutes goes to the defer port at once, and holds nothing up', async () => {
    await publish('deferred', { failsAlways: 'far later' });
    await platform.publish('deferred', 'the next of its key', { revision: 2 });
    await start(true);
    const { dueAt, at } = await member.says('deferred', 'deferred');
    expect(Number(dueAt)).toBeGreaterThan(Number(at));
    await eventually(() => platform.hasNoLag(group));
    await member.heard();
    expect(member.child.lines.filter((line) => line['documentId'] === 'deferred').map((line) => line['msg'])).toEqual([
      'started',
      'failed',
      'deferred',
      'started',
      'finished',
    ]);
  }, 60_000);
});
