import type { BrokerBatch, BrokerRecord, StartPosition, TopicPartition } from '../../../src/broker-port.js';
import { laneOf } from '../../../src/consumer/partition-epoch.js';
import type { PartitionLog } from '../broker/partition-log.js';
import { nothingConveyed } from '../ledger/tenure.js';
import type { ClientContext } from './cluster.js';
import type { Connection } from './connection.js';
import type { Ownership } from './ownership.js';
import { committedIn, findStart, type FoundStart } from './start-positions.js';

export interface FetcherOptions extends ClientContext {
  readonly connection: Connection;
  readonly ownership: Ownership;
  /** Whether the client is a member at this moment. */
  readonly isMember: () => boolean;
  readonly onPositions: (positions: readonly StartPosition[]) => void;
  readonly onBatch: (batch: BrokerBatch) => Promise<void> | void;
  /** A partition has no place to go on at. */
  readonly onNowhere: (error: Error) => void;
}

/** Half of a heartbeat's interval: the longest time for which nothing is fetched because starting records is behind. */
const holdMs = 500;

/**
 * Brings records. An assignment fetches again from the committed offset, also in a partition that was kept; pauses outlive
 * a lost partition; a position that is not in the log is decided as one that was committed.
 */
export class Fetcher {
  private readonly positions = new Map<string, number>();
  private readonly paused = new Set<string>();
  private readonly fetching = new Set<string>();
  /** How many batches are still being started. */
  private holds = 0;
  /** Fetches of an earlier one bring nothing any more. */
  private session = 0;

  constructor(private readonly options: FetcherOptions) {}

  pause(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.paused.add(laneOf(partition));
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.paused.delete(laneOf(partition));
    this.poke();
  }

  /** As kafkajs does when it starts again by itself. */
  forgetPauses(): void {
    this.paused.clear();
  }

  /** What is on its way is dropped. */
  drop(): void {
    this.session++;
    this.fetching.clear();
  }

  /** Nothing is fetched until the broker has said from where. */
  forgetPositions(): void {
    this.positions.clear();
  }

  /** Asks where the partitions go on; their fetches begin with the answer. */
  locate(partitions: readonly TopicPartition[]): void {
    const { cluster, connection, run } = this.options;
    const { session } = this;
    connection.request(() => {
      const answer = partitions.map((partition) => {
        const log = cluster.logOf(partition);
        return { log: log.range, known: committedIn(cluster, log) };
      });
      connection.after(() =>
        run(() => {
          if (session !== this.session) return;
          this.goOnAt(() => answer.map(({ log, known }) => findStart(log, known, cluster)));
          this.poke();
        }),
      );
    });
  }

  /** Fetches everything from the committed offset again, as after a reset of the fetch position. */
  again(): void {
    const { cluster, ownership } = this.options;
    const lanes = ownership.tenures.map(({ lane }) => lane);
    if (this.positions.size < lanes.length) return;
    this.drop();
    for (const log of cluster.logs) {
      const { lane } = log;
      const { offset } = cluster.offsets.get(lane);
      // Not from or to where nothing is any more: that is found out by fetching on.
      if (lanes.includes(lane) && log.has(offset) && log.has(this.positions.get(lane) ?? 0)) {
        this.positions.set(lane, offset);
      }
    }
    this.poke();
  }

  /** The offset that it would fetch next. */
  positionIn({ lane }: PartitionLog): number | undefined {
    return this.positions.get(lane);
  }

  /** There may be something to fetch. */
  poke(): void {
    if (!this.options.isMember() || this.holds > 0) return;
    for (const log of this.options.cluster.logs) this.fetch(log);
  }

  /** One fetch per partition is outstanding. What is paused meanwhile is delivered still. */
  private fetch(log: PartitionLog): void {
    const { lane } = log;
    const { cluster, connection, ownership, run } = this.options;
    if (ownership.of(log) === undefined || this.paused.has(lane) || this.fetching.has(lane)) return;
    const position = this.positions.get(lane);
    if (position === undefined || position === log.end) return;
    const { session } = this;
    this.fetching.add(lane);
    connection.after(() => {
      const limits = {
        maxRecords: cluster.random.integer(1, cluster.fetchRecords),
        isGapAlone: cluster.random.chance(0.6),
      };
      const batch = log.has(position) ? log.fetch(position, limits) : undefined;
      const isOutOfRange = !log.has(position);
      run(() => {
        if (session !== this.session) return;
        if (isOutOfRange) return this.lookUp(log, position);
        this.fetching.delete(lane);
        if (batch !== undefined) this.deliver(batch);
        this.poke();
      });
    });
  }

  /** Asks where the log begins and ends, which may have changed since the fetch was answered. */
  private lookUp(log: PartitionLog, position: number): void {
    const { cluster, connection, run } = this.options;
    const { session } = this;
    connection.after(() => {
      const { range } = log;
      connection.after(() =>
        run(() => {
          if (session !== this.session) return;
          this.fetching.delete(log.lane);
          const known = { wanted: position, committed: undefined, metadata: '', conveyed: nothingConveyed };
          this.goOnAt(() => [findStart(range, known, cluster)]);
          this.poke();
        }),
      );
    });
  }

  private deliver(batch: BrokerBatch): void {
    const { cluster, ownership, onBatch } = this.options;
    const tenure = ownership.of(batch);
    if (tenure === undefined) return;
    this.positions.set(laneOf(batch), batch.lastOffset + 1);
    const records: BrokerRecord[] = batch.records.map((record) => ({ ...record, headers: [tenure.header] }));
    const caughtUp = onBatch({ ...batch, records });
    if (caughtUp instanceof Promise) this.hold(caughtUp);
    cluster.ledger.handling.deliver(tenure, records);
  }

  /** What is on its way still comes. */
  private hold(caughtUp: Promise<void>): void {
    const { cluster, run } = this.options;
    this.holds++;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      run(() => {
        this.holds--;
        this.poke();
      });
    };
    void caughtUp.then(end);
    cluster.timeline.after(holdMs, end);
  }

  private goOnAt(find: () => readonly FoundStart[]): void {
    const { cluster, process, ownership, isMember, onPositions, onNowhere } = this.options;
    let found: readonly FoundStart[];
    try {
      found = find();
    } catch (error) {
      return onNowhere(error as Error);
    }
    for (const { position, conveyed } of found) {
      this.positions.set(laneOf(position), position.offset);
      ownership.of(position)?.beginAt(position.offset, conveyed);
    }
    onPositions(found.map(({ position }) => position));
    if (!isMember()) return;
    for (const { position } of found) cluster.onStart(cluster.logOf(position), process);
  }
}
