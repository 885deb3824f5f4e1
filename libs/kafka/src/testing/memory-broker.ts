import type {
  BrokerListener,
  BrokerPort,
  BrokerRecord,
  CommitPosition,
  StartPosition,
  TopicPartition,
} from '../broker-port.js';
import { laneOf } from '../consumer/partition-epoch.js';

interface MemoryPartition extends TopicPartition {
  readonly log: BrokerRecord[];
  /** The offset that the next record gets. */
  end: number;
  /** The offset that the member fetches next. */
  position: number;
}

/**
 * A broker in memory with one member of one group, for tests of what runs over a {@link BrokerPort}. It does what Kafka
 * and its client do where that matters: an assignment fetches again from the committed offset, also of a partition that
 * was kept; commits are taken from whoever sends them, whatever they say; pauses are forgotten by a new membership.
 * A test drives it step by step.
 */
export class MemoryBroker implements BrokerPort {
  /** What the broker would answer now, by `topic/partition`. */
  readonly committed = new Map<string, number>();
  /** What was committed beside the offsets; a commit without it erases it. */
  readonly metadata = new Map<string, string>();
  /** Every position that was ever committed, in order. */
  readonly commits: CommitPosition[] = [];
  isStopped = false;
  /** A test sets it when it is about fetches that are not answered; otherwise they always are. */
  fetchedAt = Number.POSITIVE_INFINITY;
  private readonly partitions: readonly MemoryPartition[];
  private readonly owned = new Set<string>();
  private readonly paused = new Set<string>();
  private listener: BrokerListener | undefined;
  private commitsToRefuse = 0;

  constructor(partitions: readonly TopicPartition[]) {
    this.partitions = partitions.map((partition) => ({ ...partition, log: [], end: 0, position: 0 }));
  }

  async start(listener: BrokerListener): Promise<void> {
    this.listener = listener;
    await Promise.resolve();
    this.assign(this.partitions);
  }

  /** Which topics were asked for last; a test assigns what follows from it. */
  topics: readonly string[] = [];

  setTopics(topics: readonly string[]): void {
    this.topics = topics;
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.paused.add(laneOf(partition));
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.paused.delete(laneOf(partition));
  }

  /** Takes effect when it is sent, because requests arrive in their order; the answer comes later. */
  commit(positions: readonly CommitPosition[]): Promise<void> {
    if (this.commitsToRefuse > 0) {
      this.commitsToRefuse--;
      return Promise.reject(new Error('the broker refuses the commit'));
    }
    for (const position of positions) {
      this.commits.push(position);
      this.committed.set(laneOf(position), position.offset);
      this.metadata.set(laneOf(position), position.metadata ?? '');
    }
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    await Promise.resolve();
    this.isStopped = true;
    this.owned.clear();
  }

  /** Appends a record; returns its offset. */
  append(to: TopicPartition, record: Partial<Omit<BrokerRecord, 'topic' | 'partition' | 'offset'>> = {}): number {
    const partition = this.find(to);
    const offset = partition.end++;
    const { topic, partition: number } = partition;
    partition.log.push({
      topic,
      partition: number,
      offset,
      timestamp: 0,
      key: null,
      value: null,
      headers: [],
      ...record,
    });
    return offset;
  }

  /** Appends records that no consumer sees: aborted ones, markers, or what compaction took. */
  appendInvisible(to: TopicPartition, count: number): void {
    this.find(to).end += count;
  }

  /** One fetch: hands over what is new in the partitions that are owned and not paused; returns the number of records. */
  deliver(): number {
    let delivered = 0;
    for (const partition of this.partitions) {
      const lane = laneOf(partition);
      if (!this.owned.has(lane) || this.paused.has(lane) || partition.position === partition.end) continue;
      const records = partition.log.filter(({ offset }) => offset >= partition.position);
      const { topic, partition: number, end } = partition;
      partition.position = end;
      delivered += records.length;
      void this.listener?.onBatch({ topic, partition: number, records, lastOffset: end - 1, endOffset: end });
    }
    return delivered;
  }

  /** The offset that the partition's next record gets. */
  endOf(partition: TopicPartition): number {
    return this.find(partition).end;
  }

  isPaused(partition: TopicPartition): boolean {
    return this.paused.has(laneOf(partition));
  }

  owns(partition: TopicPartition): boolean {
    return this.owned.has(laneOf(partition));
  }

  /** A rebalance: the member may commit, then it owns exactly these. */
  rebalance(partitions: readonly TopicPartition[]): void {
    this.listener?.onRevoking();
    this.assign(partitions);
  }

  /** The group went on without the member; it comes back as another one with these. */
  expel(partitions: readonly TopicPartition[]): void {
    this.paused.clear();
    this.listener?.onLost();
    this.assign(partitions);
  }

  /** The client has lost its membership and tries to come back. */
  lose(): void {
    this.paused.clear();
    this.owned.clear();
    this.listener?.onLost();
  }

  /** Lets the next commits fail. */
  refuseCommits(count: number): void {
    this.commitsToRefuse = count;
  }

  private assign(partitions: readonly TopicPartition[]): void {
    this.owned.clear();
    for (const partition of partitions) {
      const lane = laneOf(partition);
      this.owned.add(lane);
      this.find(partition).position = this.committed.get(lane) ?? 0;
    }
    this.listener?.onAssigned(partitions);
    this.listener?.onPositions(partitions.map((partition) => this.positionOf(partition)));
  }

  private positionOf({ topic, partition }: TopicPartition): StartPosition {
    const { position: offset, end: endOffset } = this.find({ topic, partition });
    const lane = laneOf({ topic, partition });
    const metadata = this.metadata.get(lane) ?? '';
    return { topic, partition, offset, committed: this.committed.get(lane), metadata, endOffset };
  }

  private find(partition: TopicPartition): MemoryPartition {
    const found = this.partitions.find((candidate) => laneOf(candidate) === laneOf(partition));
    if (found === undefined) throw new Error(`There is no partition ${laneOf(partition)}.`);
    return found;
  }
}
