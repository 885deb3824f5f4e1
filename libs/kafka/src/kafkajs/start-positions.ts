import { createRequire } from 'node:module';
import type { TopicPartition } from '../broker-port.js';
import { GroupMember } from './group-member.js';

// kafkajs asks for the committed offsets after it has joined and before it fetches. That is the one moment at which they can
// be compared with the log: later it has already answered OFFSET_OUT_OF_RANGE by *committing* -2 over the group's offset.

const require = createRequire(import.meta.url);

/** What the broker has for a partition. */
export interface FoundPosition extends TopicPartition {
  /** Where it would go on. Undefined when the group has committed nothing; then it starts at `low`. */
  readonly wanted: number | undefined;
  /** What the group has committed, if it was asked for. */
  readonly committed: number | undefined;
  readonly metadata: string;
  /** The oldest offset that is still there. */
  readonly low: number;
  /** The offset that the next record gets. */
  readonly high: number;
}

interface TopicOffsets {
  readonly topic: string;
  readonly partitions: readonly { partition: number; offset: string; metadata?: string | null }[];
}
interface TopicRequest {
  readonly topic: string;
  readonly partitions: readonly { partition: number }[];
}
interface OffsetManager {
  readonly groupId: string;
  readonly memberAssignment: Record<string, readonly number[]>;
  readonly resolvedOffsets: Record<string, Record<number, string>>;
  readonly cluster: {
    fetchTopicsOffset(topics: readonly (TopicRequest & { fromBeginning: boolean })[]): Promise<TopicOffsets[]>;
  };
  getCoordinator(): Promise<{
    offsetFetch(request: { groupId: string; topics: readonly TopicRequest[] }): Promise<{ responses: TopicOffsets[] }>;
  }>;
  committedOffsets(): Record<string, Record<number, string>>;
  nextOffset(topic: string, partition: number): { toString(): string };
  resolveOffsets(): Promise<void>;
  setDefaultOffset(partition: TopicPartition): Promise<void>;
}

/** Shows members where they start, and keeps kafkajs from deciding it. */
export function installStartPositions(): void {
  const { prototype } = require('kafkajs/src/consumer/offsetManager') as { readonly prototype: OffsetManager };
  const found = new WeakMap<OffsetManager, Promise<void>>();
  const { resolveOffsets, setDefaultOffset } = prototype;

  prototype.resolveOffsets = async function (this: OffsetManager) {
    const member = GroupMember.current(this.groupId);
    // One manager per assignment, and one fetch loop per broker: the first of them asks for all.
    if (member !== undefined) await once(found, this, () => findStart(this, member));
    await resolveOffsets.call(this);
  };

  prototype.setDefaultOffset = async function (this: OffsetManager, { topic, partition }: TopicPartition) {
    const member = GroupMember.current(this.groupId);
    if (member === undefined) return setDefaultOffset.call(this, { topic, partition });
    const next = Number(this.nextOffset(topic, partition).toString());
    const [range] = await rangesOf(this, [{ topic, partitions: [{ partition }] }]);
    if (range === undefined) return;
    start(this, member, [{ ...range, wanted: next, committed: undefined, metadata: '' }]);
  };
}

async function once(
  done: WeakMap<OffsetManager, Promise<void>>,
  manager: OffsetManager,
  work: () => Promise<void>,
): Promise<void> {
  const running = done.get(manager) ?? work();
  done.set(manager, running);
  try {
    await running;
  } catch (error) {
    done.delete(manager);
    throw error;
  }
}

async function findStart(manager: OffsetManager, member: GroupMember): Promise<void> {
  const topics = Object.entries(manager.memberAssignment).map(([topic, partitions]) => ({
    topic,
    partitions: partitions.map((partition) => ({ partition })),
  }));
  if (topics.length === 0) return;
  const coordinator = await manager.getCoordinator();
  const [{ responses }, ranges] = await Promise.all([
    coordinator.offsetFetch({ groupId: manager.groupId, topics }),
    rangesOf(manager, topics),
  ]);
  const committed = indexed(responses);
  const positions = ranges.map((range) => {
    const { offset = '-1', metadata } = committed.get(nameOf(range)) ?? {};
    const found = Number(offset) < 0 ? undefined : Number(offset);
    return { ...range, wanted: found, committed: found, metadata: metadata ?? '' };
  });
  start(manager, member, positions);
}

function start(manager: OffsetManager, member: GroupMember, positions: readonly FoundPosition[]): void {
  const offsets = member.startFrom(positions);
  for (const [index, { topic, partition }] of positions.entries()) {
    const offset = String(offsets[index]);
    manager.committedOffsets()[topic] = { ...manager.committedOffsets()[topic], [partition]: offset };
    manager.resolvedOffsets[topic] = { ...manager.resolvedOffsets[topic], [partition]: offset };
  }
}

type Range = Pick<FoundPosition, 'topic' | 'partition' | 'low' | 'high'>;

async function rangesOf({ cluster }: OffsetManager, topics: readonly TopicRequest[]): Promise<Range[]> {
  const [lows, highs] = await Promise.all(
    [true, false].map((fromBeginning) =>
      cluster.fetchTopicsOffset(topics.map((topic) => ({ ...topic, fromBeginning }))),
    ),
  );
  const highOf = indexed(highs ?? []);
  return (lows ?? []).flatMap(({ topic, partitions }) =>
    partitions.map(({ partition, offset }) => {
      const high = Number(highOf.get(nameOf({ topic, partition }))?.offset);
      return { topic, partition, low: Number(offset), high };
    }),
  );
}

function indexed(topics: readonly TopicOffsets[]): Map<string, TopicOffsets['partitions'][number]> {
  const entries = topics.flatMap(({ topic, partitions }) =>
    partitions.map((found) => [nameOf({ topic, partition: found.partition }), found] as const),
  );
  return new Map(entries);
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
