import { describe, expect, it } from '@jest/globals';
import { topics, type TopicName } from '@anabranch/contracts';
import fc from 'fast-check';
import type { TopicDescription } from '../src/admin/broker-admin.js';
import { startUpCheck } from '../src/admin/start-up-check.js';
import { assignTogether, type AssignableMember } from '../src/kafkajs/co-partitioning.js';

const allTopics = ['a', 'b', 'c'];
/** A group of so many; ids of members are new in each life, those of instances are not. */
const group = (size: number, { life = 1, isStatic = true } = {}): AssignableMember[] =>
  Array.from({ length: size }, (_, index) => ({
    memberId: `member-${index}-${life}`,
    instanceId: isStatic ? `service-${index}` : null,
    topics: allTopics,
  }));
const counts = (count: number) => new Map(allTopics.map((topic) => [topic, count]));
const sizes = { members: fc.integer({ min: 1, max: 9 }), partitions: fc.integer({ min: 1, max: 40 }) };

/** Per topic, who has which partition; a partition with two owners, or none, is a fault. */
function ownersOf(members: readonly AssignableMember[], partitions: number): Map<string, string[]> {
  const assignments = assignTogether(members, counts(partitions));
  return new Map(
    allTopics.map((topic) => {
      const owned = [...assignments].flatMap(([memberId, assignment]) =>
        (assignment[topic] ?? []).map((partition) => [partition, memberId] as const),
      );
      expect(owned.map(([partition]) => partition).toSorted((one, other) => one - other)).toEqual([
        ...Array(partitions).keys(),
      ]);
      return [topic, Object.values(Object.fromEntries(owned))];
    }),
  );
}

describe('the co-partitioning assigner', () => {
  it('gives each partition to one member, and the same partition of every topic to the same one', () => {
    fc.assert(
      fc.property(sizes.members, sizes.partitions, (size, partitions) => {
        const owners = ownersOf(group(size), partitions);
        expect(owners.get('b')).toEqual(owners.get('a'));
        expect(owners.get('c')).toEqual(owners.get('a'));
      }),
    );
  });

  it('gives each member as many as any other, or one more', () => {
    fc.assert(
      fc.property(sizes.members, sizes.partitions, (size, partitions) => {
        const shares = new Map(group(size).map(({ memberId }) => [memberId, 0]));
        for (const owner of ownersOf(group(size), partitions).get('a') ?? [])
          shares.set(owner, (shares.get(owner) ?? 0) + 1);
        expect(Math.max(...shares.values()) - Math.min(...shares.values())).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('comes to the same answer in every order of the members, and after all static ones were restarted', () => {
    fc.assert(
      fc.property(sizes.members, sizes.partitions, fc.integer(), (size, partitions, seed) => {
        const before = ownersOf(group(size), partitions).get('a');
        const restarted = fc.sample(fc.shuffledSubarray(group(size, { life: 2 }), { minLength: size }), {
          numRuns: 1,
          seed,
        })[0];
        const after = ownersOf(restarted ?? [], partitions).get('a');
        expect(after?.map((memberId) => memberId.replace(/-2$/, '-1'))).toEqual(before);
      }),
    );
  });

  it('moves little besides the share of a member that leaves', () => {
    let moved = 0;
    let kept = 0;
    for (let life = 0; life < 50; life++) {
      const members = group(4, { life, isStatic: false });
      const before = ownersOf(members, 12).get('a') ?? [];
      const [gone, ...rest] = members;
      const after = ownersOf(rest, 12).get('a') ?? [];
      const stayed = before
        .map((owner, partition) => [owner, after[partition]])
        .filter(([owner]) => owner !== gone?.memberId);
      moved += stayed.filter(([owner, successor]) => owner !== successor).length;
      kept += stayed.filter(([owner, successor]) => owner === successor).length;
    }
    // All of them in the worst case; two thirds on average if nothing were kept on purpose.
    expect(moved / (moved + kept)).toBeLessThan(0.15);
  });

  it('gives a topic only to members that subscribe to it, and keeps the numbers together where it can', () => {
    const [first, second, third] = group(3) as [AssignableMember, AssignableMember, AssignableMember];
    const late = { ...third, topics: ['a', 'b'] };
    const assignments = assignTogether([first, second, late], counts(9));
    expect(assignments.get(late.memberId)?.['c']).toBeUndefined();
    expect(
      [...assignments.values()].flatMap((assignment) => assignment['c'] ?? []).toSorted((one, other) => one - other),
    ).toEqual([...Array(9).keys()]);
    for (const { memberId } of [first, second]) {
      const assignment = assignments.get(memberId);
      expect(assignment?.['c']).toEqual(expect.arrayContaining(assignment?.['a'] ?? []));
    }
  });
});

describe('topics that shall be handled together', () => {
  const names = ['document.ingested', 'document.enriched'] as const;
  const config = { brokers: ['broker:9092'], registryUrl: 'http://registry' };
  const adminWith = (partitions: Record<string, number>) => ({
    missingSchemas: () => Promise.resolve([]),
    describeTopics: (wanted: readonly string[]) =>
      Promise.resolve(
        wanted.map((name): TopicDescription => {
          const { retentionMs } = topics[name as TopicName];
          return { name, partitions: partitions[name] ?? 0, retentionMs, timestampType: 'LogAppendTime' };
        }),
      ),
  });

  it('stop the start when their numbers of partitions differ, with the numbers and the way out', async () => {
    const admin = adminWith({ 'document.ingested': 8, 'document.enriched': 4 });
    const check = startUpCheck(admin, config, { names, coPartitioned: names });
    await expect(check).rejects.toThrow(/document\.ingested has 8, document\.enriched has 4.*--alter --partitions/);
    expect(await startUpCheck(admin, config, { names })).toHaveLength(1);
  });
});
