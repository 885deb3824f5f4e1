import { createRequire } from 'node:module';
import { GroupMember } from './group-member.js';

// A kafkajs consumer has its topics from its start to its end: to change them it would have to stop, leave the group and
// begin anew. Yet its group protocol joins with the list that it has at that moment. So the list is changed in place, and the
// member joins again: the group assigns anew, what the member keeps it keeps, and its handlers run on.

const require = createRequire(import.meta.url);

interface ConsumerGroup {
  readonly groupId: string;
  readonly cluster: Cluster;
  topicsSubscribed: readonly string[];
  /** The consumer's own object: with it kafkajs begins again after a crash. */
  readonly topicConfigurations: Record<string, { fromBeginning: boolean }>;
  /** As of the last join that came to its end. */
  readonly partitionsPerSubscribedTopic: ReadonlyMap<string, readonly number[]> | null;
  checkForStaleAssignment(): void;
  joinAndSync(): Promise<void>;
}
interface Cluster {
  readonly targetTopics: Set<string>;
  addMultipleTargetTopics(topics: readonly string[]): Promise<void>;
}

/** Lets members join with the topics that they want at that moment, and makes them join when those have changed. */
export function installChangingTopics(): void {
  const { prototype } = require('kafkajs/src/consumer/consumerGroup') as { readonly prototype: ConsumerGroup };
  const { checkForStaleAssignment, joinAndSync } = prototype;

  prototype.checkForStaleAssignment = function (this: ConsumerGroup) {
    const member = GroupMember.current(this.groupId);
    // The fetch loop takes it for the coordinator's word, and does what it does then: ends its fetches, and joins.
    if (member !== undefined && mustJoin(this, member)) throw rebalance();
    checkForStaleAssignment.call(this);
  };

  prototype.joinAndSync = async function (this: ConsumerGroup) {
    const topics = GroupMember.current(this.groupId)?.topics;
    if (topics !== undefined && hasChanged(this, topics)) await subscribe(this, topics);
    await joinAndSync.call(this);
  };
}

function mustJoin(group: ConsumerGroup, member: GroupMember): boolean {
  const { topics = group.topicsSubscribed } = member;
  return hasChanged(group, topics) || !hasJoinedWith(group);
}

function hasChanged({ topicsSubscribed }: ConsumerGroup, topics: readonly string[]): boolean {
  return topics.length !== topicsSubscribed.length || topics.some((topic) => !topicsSubscribed.includes(topic));
}

/** Not so when the topics were changed, and then the join failed. */
function hasJoinedWith({ topicsSubscribed, partitionsPerSubscribedTopic: known }: ConsumerGroup): boolean {
  return known === null || topicsSubscribed.every((topic) => known.has(topic));
}

async function subscribe(group: ConsumerGroup, topics: readonly string[]): Promise<void> {
  const { cluster, topicConfigurations } = group;
  await cluster.addMultipleTargetTopics(topics);
  for (const topic of group.topicsSubscribed) {
    if (topics.includes(topic)) continue;
    // One that is deleted later would make every refresh of the metadata fail.
    cluster.targetTopics.delete(topic);
    delete topicConfigurations[topic];
  }
  for (const topic of topics) topicConfigurations[topic] = { fromBeginning: true };
  group.topicsSubscribed = [...topics];
}

function rebalance(): Error {
  return Object.assign(new Error('The topics have changed.'), { type: 'REBALANCE_IN_PROGRESS' });
}
