import { createRequire } from 'node:module';
import kafkajs, { type Assigner, type PartitionAssigner } from 'kafkajs';
import { GroupMember } from './group-member.js';

// A topic's partitions that are added, and a topic that a member newly subscribes to, are dealt out by the next rebalance, and kafkajs joins for one when its metadata changes under it.
// But a static member that was away meanwhile comes back to its seat without a rebalance, with metadata that are new from
// the start; and a join of a member that is not the leader brings no rebalance unless it says something new. So the leader
// notes with each assignment how many partitions it dealt out, and who knows of more asks for another assignment.

const require = createRequire(import.meta.url);
const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;
const decodeAssignment = MemberAssignment.decode;

/**
 * Between two questions: leaders may hear of new partitions later than we do. Doubled for each that was in vain, since a
 * leader of an earlier version may not consume the topic at all.
 */
const askAfterMs = { first: 5_000, most: 300_000 };

interface TopicMetadata {
  findTopicPartitionMetadata(topic: string): readonly unknown[];
}
interface ConsumerGroup {
  readonly groupId: string;
  readonly topicsSubscribed: readonly string[];
  readonly cluster: TopicMetadata;
  checkForStaleAssignment(): void;
}
interface ErrorClasses {
  readonly KafkaJSStaleTopicMetadataAssignment: new (
    message: string,
    details: { topic: string; unknownPartitions: readonly number[] },
  ) => Error;
}

/** An assigner that notes with each assignment how many partitions of each topic it is about. */
export function noting(create: PartitionAssigner): PartitionAssigner {
  return (config) => {
    const assigner = create(config);
    const noted: Pick<Assigner, 'assign' | 'protocol'> = {
      assign: async (group) => {
        const userData = encodeCounts(countsOf(config.cluster as unknown as TopicMetadata, group.topics));
        const members = await assigner.assign(group);
        return members.map(({ memberId, memberAssignment }) => {
          const { version, assignment } = decodeAssignment(memberAssignment) ?? { version: 0, assignment: {} };
          return { memberId, memberAssignment: MemberAssignment.encode({ version, assignment, userData }) };
        });
      },
      protocol: (group) => {
        const { name, metadata } = assigner.protocol(group);
        const { version, topics } = MemberMetadata.decode(metadata) ?? { version: 0, topics: group.topics };
        // Something new, so that the broker takes a question for one.
        const userData = Buffer.from(String(GroupMember.calling()?.asked.times ?? 0));
        return { name, metadata: MemberMetadata.encode({ version, topics, userData }) };
      },
    };
    return { ...assigner, ...noted };
  };
}

/** Lets members hear what their leader noted, and join anew when they know of more partitions. */
export function askForAddedPartitions(): void {
  MemberAssignment.decode = (buffer) => {
    const decoded = decodeAssignment(buffer);
    const member = GroupMember.calling();
    if (member !== undefined) member.dealt = decodeCounts(decoded?.userData);
    return decoded;
  };
  const { prototype } = require('kafkajs/src/consumer/consumerGroup') as { readonly prototype: ConsumerGroup };
  const { KafkaJSStaleTopicMetadataAssignment: StaleAssignmentError } = require('kafkajs/src/errors') as ErrorClasses;
  const { checkForStaleAssignment } = prototype;
  prototype.checkForStaleAssignment = function (this: ConsumerGroup) {
    checkForStaleAssignment.call(this);
    const member = GroupMember.current(this.groupId);
    const known = countsOf(this.cluster, this.topicsSubscribed);
    const dealt = member?.dealt;
    if (member === undefined || dealt === undefined) return;
    const { asked } = member;
    const added = [...known].find(([topic, count]) => count > (dealt.get(topic) ?? 0));
    if (added === undefined) asked.inVain = 0;
    const waitMs = Math.min(askAfterMs.most, askAfterMs.first * 2 ** asked.inVain);
    if (added === undefined || performance.now() - asked.at < waitMs) return;
    asked.at = performance.now();
    asked.times++;
    asked.inVain++;
    const [topic] = added;
    throw new StaleAssignmentError('Partitions were added', { topic, unknownPartitions: [] });
  };
}

function countsOf(cluster: TopicMetadata, topics: readonly string[]): Map<string, number> {
  return new Map(topics.map((topic) => [topic, cluster.findTopicPartitionMetadata(topic).length]));
}

function encodeCounts(counts: ReadonlyMap<string, number>): Buffer {
  return Buffer.from(JSON.stringify(Object.fromEntries(counts)));
}

/** Undefined when the leader noted nothing, or something else: then it is another version, or another software. */
function decodeCounts(noted: Buffer | undefined): ReadonlyMap<string, number> | undefined {
  try {
    const counts = JSON.parse(String(noted)) as unknown;
    if (typeof counts !== 'object' || counts === null) return undefined;
    return new Map(Object.entries(counts).map(([topic, count]) => [topic, Number(count)]));
  } catch {
    return undefined;
  }
}
