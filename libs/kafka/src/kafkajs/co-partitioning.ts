import { createHash } from 'node:crypto';
import kafkajs, { type Assigner, type GroupMember, type PartitionAssigner } from 'kafkajs';

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

/** Stands in the group's metadata: members with another name for it would not find a common one. */
const protocolName = 'anabranch-co-partitioning';
const protocolVersion = 0;

/** A member of a group, as its leader sees it. */
export interface AssignableMember {
  readonly memberId: string;
  /** The same over its restarts, for a static member. */
  readonly instanceId: string | null;
  readonly topics: readonly string[];
}

/** By member id and topic. */
export type Assignments = ReadonlyMap<string, Readonly<Record<string, number[]>>>;

/**
 * Gives partition n of every topic to the same member: keys that are in all topics are then handled by one process.
 *
 * Which one follows from the identities of the members and the number alone (rendezvous hashing with equal shares), so all
 * leaders come to the same answer, restarts of static members change nothing, and a member that comes or goes moves little
 * besides its own share. A topic to which the owner of a number does not subscribe goes to one who does.
 */
export function assignTogether(
  members: readonly AssignableMember[],
  partitionCounts: ReadonlyMap<string, number>,
): Assignments {
  const assignments = new Map<string, Record<string, number[]>>();
  for (const { memberId } of members) assignments.set(memberId, {});
  const owners = ownersOf(members, Math.max(0, ...partitionCounts.values()));
  for (const [topic, count] of partitionCounts) {
    const subscribers = members.filter(({ topics }) => topics.includes(topic));
    for (const [partition, owner] of owners.slice(0, count).entries()) {
      const assignee = subscribers.includes(owner) ? owner : mostSuited(subscribers, partition);
      const assignment = assignments.get(assignee?.memberId ?? '');
      if (assignment !== undefined) (assignment[topic] ??= []).push(partition);
    }
  }
  return assignments;
}

/** Who has which number: each member as many as any other, or one more. */
function ownersOf(members: readonly AssignableMember[], count: number): AssignableMember[] {
  const owners: AssignableMember[] = [];
  const shares = new Map<AssignableMember, number>();
  const fullShare = Math.floor(count / members.length);
  let largerShares = count % members.length;
  const bids = members.flatMap((member) =>
    Array.from({ length: count }, (_, partition) => ({ member, partition, score: scoreOf(member, partition) })),
  );
  bids.sort((one, other) => (one.score < other.score ? 1 : -1));
  for (const { member, partition } of bids) {
    const share = shares.get(member) ?? 0;
    const isFull = share > fullShare || (share === fullShare && largerShares === 0);
    if (isFull || owners[partition] !== undefined) continue;
    if (share === fullShare) largerShares--;
    owners[partition] = member;
    shares.set(member, share + 1);
  }
  return owners;
}

function mostSuited(members: readonly AssignableMember[], partition: number): AssignableMember | undefined {
  const scored = members.map((member) => ({ member, score: scoreOf(member, partition) }));
  return scored.reduce<(typeof scored)[number] | undefined>(
    (best, bid) => (best === undefined || bid.score > best.score ? bid : best),
    undefined,
  )?.member;
}

function scoreOf({ instanceId, memberId }: AssignableMember, partition: number): string {
  return createHash('sha256')
    .update(`${partition}/${instanceId ?? memberId}`)
    .digest('hex');
}

interface StaticGroupMember extends GroupMember {
  readonly groupInstanceId?: string | null;
}
interface TopicMetadata {
  findTopicPartitionMetadata(topic: string): readonly unknown[];
}

/** {@link assignTogether} as kafkajs wants it. */
export const coPartitioning: PartitionAssigner = ({ cluster }): Assigner => ({
  name: protocolName,
  version: protocolVersion,
  assign: ({ members, topics }) => {
    const { findTopicPartitionMetadata } = cluster as unknown as TopicMetadata;
    const countOf = (topic: string) => findTopicPartitionMetadata.call(cluster, topic).length;
    const counts = new Map(topics.map((topic) => [topic, countOf(topic)]));
    const assignments = [...assignTogether(members.map(assignable), counts)];
    return Promise.resolve(
      assignments.map(([memberId, assignment]) => ({
        memberId,
        memberAssignment: MemberAssignment.encode({ version: protocolVersion, assignment, userData: noUserData }),
      })),
    );
  },
  protocol: ({ topics }) => ({
    name: protocolName,
    metadata: MemberMetadata.encode({ version: protocolVersion, topics, userData: noUserData }),
  }),
});

const noUserData = Buffer.alloc(0);

function assignable({ memberId, memberMetadata, groupInstanceId = null }: StaticGroupMember): AssignableMember {
  return { memberId, instanceId: groupInstanceId, topics: MemberMetadata.decode(memberMetadata)?.topics ?? [] };
}
