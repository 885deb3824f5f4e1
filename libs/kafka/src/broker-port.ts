/** One header, in the order of the record. Names may repeat; values are bytes, or null. */
export type RecordHeader = readonly [name: string, value: Buffer | null];

/** A record as it lies in the log. */
export interface BrokerRecord {
  readonly topic: string;
  readonly partition: number;
  /** Exact below 2^53: at a million records a second, 285 years of one partition. */
  readonly offset: number;
  /** Milliseconds since the epoch: the broker's clock on topics with LogAppendTime, else the producer's. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** What one fetch brought for one partition. */
export interface BrokerBatch extends TopicPartition {
  /** In offset order. Empty when the fetch held only records that no consumer sees: aborted ones and markers. */
  readonly records: readonly BrokerRecord[];
  /** The last offset that the fetch covered, visible or not. */
  readonly lastOffset: number;
  /** The offset that the partition's next record will get. */
  readonly endOffset: number;
}

/** The offset to go on from after a restart: all records below it are finished. */
export interface CommitPosition extends TopicPartition {
  readonly offset: number;
  /** What the broker keeps beside the offset: which records above it are finished. */
  readonly metadata?: string;
}

/** Where a partition goes on, as the broker knows it. */
export interface StartPosition extends CommitPosition {
  /** What the group has committed: less than the offset when records were removed. Undefined when that is not known. */
  readonly committed: number | undefined;
  /** The offset that the partition's next record will get. */
  readonly endOffset: number;
}

/** What a client tells the runtime. Every call returns at once. */
export interface BrokerListener {
  /** The member owns exactly these partitions from here on; their records come from the committed offset. */
  onAssigned(partitions: readonly TopicPartition[]): void;
  /**
   * Where partitions go on that were just assigned, kept ones too; comes before any batch of them. Also when a partition has
   * to go on elsewhere in the midst of it.
   */
  onPositions(positions: readonly StartPosition[]): void;
  /** A rebalance has begun: a commit that starts now still counts. */
  onRevoking(): void;
  /** The membership is over; somebody else may own everything by now. */
  onLost(): void;
  /**
   * Records to be handled. What it returns, if anything, settles soon, when starting them has caught up: a client that
   * goes on only then does not fill the memory faster than it is emptied.
   */
  onBatch(batch: BrokerBatch): Promise<void> | void;
  /** The client has given up and will deliver nothing more. */
  onFatal(error: Error): void;
}

export interface StopOptions {
  /**
   * The member will not come back, so its partitions go to the others at once. Otherwise a static member keeps its seat
   * until its session times out; a dynamic one always leaves.
   */
  readonly isRemoved?: boolean;
}

/** What the consumer runtime needs from a Kafka client. */
export interface BrokerPort {
  /** When a fetch was last answered, with records or without; undefined before the first one. */
  readonly fetchedAt: number | undefined;
  /** Joins the group and begins to deliver; resolves when the first assignment is there. */
  start(listener: BrokerListener): Promise<void>;
  /**
   * Consumes these topics instead of those before, from the next assignment on. What the member keeps in it, it keeps: its
   * records in flight are not interrupted.
   */
  setTopics(topics: readonly string[]): void;
  pause(partitions: readonly TopicPartition[]): void;
  resume(partitions: readonly TopicPartition[]): void;
  /** One try, under the current generation: fenced by the broker when a rebalance has overtaken it. */
  commit(positions: readonly CommitPosition[]): Promise<void>;
  /** Ends the membership and closes the connections, within `deadlineMs`. */
  stop(deadlineMs: number, options?: StopOptions): Promise<void>;
}
