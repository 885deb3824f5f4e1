import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import type { Consumer } from '../src/index.js';
import { CollectedLog } from './harness/collected-log.js';
import { Platform } from './harness/platform.js';

const partitions = 6;
const topics = ['document.ingested', 'document.enriched'] as const;

/** A member of a group, and what it was last assigned. */
interface Member {
  readonly consumer: Consumer;
  readonly log: CollectedLog;
}

describe('a group that handles topics together', () => {
  let platform: Platform;
  let group: string;

  beforeEach(async () => {
    platform = await Platform.start({ partitions });
    group = platform.uniqueGroup();
  });
  afterEach(() => platform.close());

  const join = async (instanceId: string, coPartitioned: boolean): Promise<Member> => {
    const log = new CollectedLog();
    const handler = () => Promise.resolve();
    const consumer = platform.consumer({
      group,
      topics: { 'document.ingested': { handler }, 'document.enriched': { handler } },
      settings: { instanceId, coPartitioned, sessionTimeoutMs: 6_000, heartbeatIntervalMs: 500 },
      log,
    });
    await consumer.start();
    return { consumer, log };
  };
  /** The numbers of the partitions of one topic that it has now. */
  const assigned = ({ log }: Member, topic: (typeof topics)[number]): number[] => {
    const latest = log.lines.findLast(({ message }) => message === 'partitions were assigned');
    const lanes = (latest?.fields as { partitions: string[] } | undefined)?.partitions ?? [];
    const ofTopic = lanes.filter((lane) => lane.startsWith(`${platform.config.topicPrefix}${topic}/`));
    return ofTopic.map((lane) => Number(lane.split('/')[1])).toSorted((one, other) => one - other);
  };
  const total = (member: Member): number => topics.reduce((sum, topic) => sum + assigned(member, topic).length, 0);
  const isTogether = (member: Member): boolean =>
    assigned(member, topics[0]).join() === assigned(member, topics[1]).join();

  it('gives the same partitions of all topics to the same member', async () => {
    const members = [await join('a', true), await join('b', true)];
    await eventually(() => members.every((member) => total(member) === partitions));
    expect(members.map(isTogether)).toEqual([true, true]);
    expect(members.flatMap((member) => assigned(member, topics[0])).toSorted((one, other) => one - other)).toEqual([
      ...Array(partitions).keys(),
    ]);
  });

  it('is upgraded member by member: with one that knows nothing of it all topics are served, without it they are together', async () => {
    const older = await join('old', false);
    const newer = [await join('a', true), await join('b', true)];
    const all = [older, ...newer];
    await eventually(() => all.every((member) => total(member) === (topics.length * partitions) / all.length));
    await older.consumer.stop(5_000, { isRemoved: true });
    await eventually(() => newer.every((member) => total(member) === partitions));
    expect(newer.map(isTogether)).toEqual([true, true]);
    expect(platform.fatal).toEqual([]);
  }, 60_000);

  it('keeps the partitions where they are when a member comes back under its id', async () => {
    const [first, second] = [await join('a', true), await join('b', true)];
    await eventually(() => [first, second].every((member) => total(member) === partitions));
    const before = assigned(second, topics[0]);
    await second.consumer.stop(5_000);
    const again = await join('b', true);
    expect(assigned(again, topics[0])).toEqual(before);
    expect(isTogether(again)).toBe(true);
  });
});
