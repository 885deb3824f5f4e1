import type { TopicDefinition } from '@anabranch/contracts';
import type { TopicPartition } from '../broker-port.js';

/** A topic as the broker has it. */
export interface TopicDescription {
  readonly name: string;
  readonly partitions: number;
  readonly retentionMs: number;
  readonly timestampType: string;
}

/** What a group has committed for a partition. */
export interface CommittedOffset extends TopicPartition {
  /** All records below it are finished. */
  readonly offset: number;
  /** What is finished above it, as the consumer runtime packs it. */
  readonly metadata: string;
}

export interface EndOffset extends TopicPartition {
  /** The oldest offset that is still there. */
  readonly low: number;
  /** The offset that the next record will get. */
  readonly high: number;
}

export interface EnsuredTopics {
  readonly created: readonly string[];
  /** What is there but not as its definition says, one sentence each. */
  readonly problems: readonly string[];
}

/** The questions and steps of deployment that concern the broker. Names are those of the contracts. */
export interface BrokerAdmin {
  /** Makes the topics that are missing; never changes one that is there. */
  ensureTopics(definitions: readonly TopicDefinition[]): Promise<EnsuredTopics>;
  /** Those of the topics that exist. */
  describeTopics(topics: readonly string[]): Promise<TopicDescription[]>;
  /** Only partitions for which the group has committed something. */
  committedOffsets(group: string, topics: readonly string[]): Promise<CommittedOffset[]>;
  endOffsets(topic: string): Promise<EndOffset[]>;
  /** How many members the group has; one that died counts until its session has timed out. */
  groupMembers(group: string): Promise<number>;
  deleteTopics(topics: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
