import { StopService } from '@anabranch/failures';
import type {
  BrokerListener,
  BrokerPort,
  BrokerRecord,
  CommitPosition,
  TopicPartition,
} from '../../src/broker-port.js';
import { laneOf } from '../../src/consumer/partition-epoch.js';
import { nothingConveyed, Tenure, type Conveyed, type OutsideLedger } from './outside-ledger.js';
import type { PartitionLog } from './partition-log.js';
import type { Outage } from './schedule.js';
import type { SeededRandom } from './seeded-random.js';
import type { GroupClient, SimulatedGroup } from './simulated-group.js';
import type { Timeline } from './timeline.js';

/** The part of the world that clients share. */
export interface Cluster {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly group: SimulatedGroup;
  readonly ledger: OutsideLedger;
  readonly logs: readonly PartitionLog[];
  readonly fetchRecords: number;
  isOut(outage: Outage): boolean;
}

export interface ClientOptions {
  readonly cluster: Cluster;
  readonly process: string;
  readonly instanceId: string | undefined;
  /** Runs something in the process: at once, when it is thawed, or never when it is dead. */
  readonly run: (work: () => void) => void;
  /** Whether the process is frozen, and so sends no heartbeats. */
  readonly isSilent: () => boolean;
}

/**
 * A client of one process: what `BrokerPort` promises, done as kafkajs does it. Requests arrive in the order in which
 * they were sent; fetches end before a join; an assignment fetches again from the committed offset, also in a partition
 * that was kept; pauses outlive a lost partition and are forgotten when the client restarts by itself.
 */
export class SimulatedClient implements BrokerPort, GroupClient {
  private memberId: string | undefined;
  /** Of a join that was not answered yet. */
  private pendingId: string | undefined;
  private generation = -1;
  private listener: BrokerListener | undefined;
  private state: 'idle' | 'joining' | 'member' | 'closed' = 'idle';
  /** The member that the runtime was told of; another one means that the group went on without us. */
  private toldMemberId: string | undefined;
  private readonly tenures = new Map<string, Tenure>();
  /** All that there ever were, by the id that their records carry. */
  private readonly delivering = new Map<string, Tenure>();
  private readonly positions = new Map<string, number>();
  private readonly paused = new Set<string>();
  private readonly fetching = new Set<string>();
  /** Fetches of an earlier one bring nothing any more. */
  private session = 0;
  private joins = 0;
  private outstanding = 0;
  /** Whether the runtime could not commit because it waits for an answer. */
  private hasToWait = false;
  private lastArrival = 0;
  private readonly first = Promise.withResolvers<void>();

  constructor(private readonly options: ClientOptions) {}

  /** Answers always come; that they might not is no matter of this simulation. */
  get fetchedAt(): number {
    return this.options.cluster.timeline.now;
  }

  start(listener: BrokerListener): Promise<void> {
    this.listener = listener;
    this.join();
    return this.first.promise;
  }

  pause(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.paused.add(laneOf(partition));
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions) this.paused.delete(laneOf(partition));
    this.poke();
  }

  commit(positions: readonly CommitPosition[]): Promise<void> {
    const { cluster, process, run } = this.options;
    const { memberId, generation } = this;
    const sent = positions.map((position) => ({
      position,
      tenure: this.tenures.get(laneOf(position)),
      conveyed: this.conveyedBy(position),
    }));
    for (const commit of sent) cluster.ledger.send(commit, process);
    const answer = Promise.withResolvers<void>();
    this.outstanding++;
    const end = (how: () => void) =>
      run(() => {
        this.outstanding--;
        how();
      });
    const refuse = (why: string) => end(() => answer.reject(new Error(why)));
    if (memberId === undefined) refuse('there is no member');
    const isRequestLost = cluster.isOut('commit requests');
    this.request(() => {
      if (memberId === undefined) return;
      if (isRequestLost) return void cluster.timeline.after(500, () => refuse('the request timed out'));
      const refusal = cluster.group.refusalOf(memberId, generation);
      if (refusal === undefined) for (const commit of sent) cluster.ledger.commit(commit, this.logOf(commit.position));
      const isResponseLost = cluster.isOut('commit responses');
      cluster.timeline.after(this.delay(), () => {
        if (isResponseLost) refuse('the response was lost');
        else if (refusal !== undefined) refuse(refusal);
        else end(() => answer.resolve());
      });
    });
    return answer.promise;
  }

  stop(_deadlineMs: number, { isRemoved = false }: { isRemoved?: boolean } = {}): Promise<void> {
    const { cluster, instanceId, run } = this.options;
    const { memberId } = this;
    this.hasToWait = this.outstanding > 0;
    this.handOver();
    this.close();
    const answer = Promise.withResolvers<void>();
    this.request(() => {
      if (memberId !== undefined && (isRemoved || instanceId === undefined)) cluster.group.leave(memberId);
      else cluster.group.silence(this);
      run(() => answer.resolve());
    });
    return answer.promise;
  }

  /** The process has gone, or the client is told to be silent. */
  close(): void {
    this.state = 'closed';
    this.session++;
    for (const tenure of this.tenures.values()) tenure.isCurrent = false;
  }

  /** The process runs again. */
  wake(): void {
    const { expectedId, state } = this;
    if (state !== 'closed' && expectedId !== undefined) this.options.cluster.group.wake(this, expectedId);
  }

  /** In which ownership a record was delivered: what is left of an earlier one must not count for a later one. */
  tenureOf({ headers }: Pick<BrokerRecord, 'headers'>): Tenure {
    return this.delivering.get(String(headers[0]?.[1]))!;
  }

  /** kafkajs crashed and starts again by itself, as another member that knows nothing of pauses. */
  restart(): void {
    if (this.state !== 'member') return;
    const { group } = this.options.cluster;
    group.silence(this);
    this.paused.clear();
    this.dropFetches();
    this.lose();
    this.memberId = undefined;
    this.join();
  }

  /** Fetches everything from the committed offset again, as after a reset of the fetch position. */
  refetch(): void {
    if (this.state !== 'member') return;
    if (this.positions.size < this.tenures.size) return;
    this.dropFetches();
    for (const lane of this.tenures.keys()) this.positions.set(lane, this.committedOf(lane));
    this.poke();
  }

  onRebalance(): void {
    this.options.run(() => {
      if (this.state !== 'member') return;
      this.state = 'joining';
      this.dropFetches();
      this.hasToWait = this.outstanding > 0;
      this.listener?.onRevoking();
      this.handOver();
      this.join();
    });
  }

  onUnknownMember(memberId: string): void {
    this.options.run(() => {
      if (this.state === 'closed' || memberId !== this.expectedId) return;
      this.memberId = undefined;
      this.pendingId = undefined;
      this.dropFetches();
      this.join();
    });
  }

  onFenced(): void {
    this.options.run(() => {
      if (this.state === 'closed') return;
      this.close();
      this.listener?.onFatal(new StopService(`FENCED_INSTANCE_ID: ${this.options.instanceId ?? ''}`));
    });
  }

  onJoined(memberId: string, generation: number, partitions: readonly TopicPartition[]): void {
    this.options.run(() => {
      if (this.state === 'closed' || memberId !== this.expectedId) return;
      this.memberId = memberId;
      this.pendingId = undefined;
      this.generation = generation;
      if (this.toldMemberId !== undefined && this.toldMemberId !== memberId) this.lose();
      this.toldMemberId = memberId;
      this.state = 'member';
      this.own(partitions);
      this.listener?.onAssigned(partitions);
      this.first.resolve();
      this.locate(partitions);
    });
  }

  /** There may be something to fetch. */
  poke(): void {
    if (this.state !== 'member') return;
    for (const log of this.options.cluster.logs) this.fetch(log);
  }

  /** The runtime has had its chance to commit, unless it still waits for the answer to an earlier commit. */
  private handOver(): void {
    if (this.hasToWait) return;
    for (const tenure of this.tenures.values()) this.options.cluster.ledger.handOver(tenure);
  }

  private dropFetches(): void {
    this.session++;
    this.fetching.clear();
  }

  private own(partitions: readonly TopicPartition[]): void {
    const { ledger } = this.options.cluster;
    const lanes = new Set(partitions.map(laneOf));
    this.positions.clear();
    for (const [lane, tenure] of this.tenures) {
      if (lanes.has(lane)) continue;
      tenure.isCurrent = false;
      this.tenures.delete(lane);
    }
    for (const lane of lanes) {
      if (this.tenures.has(lane)) continue;
      const tenure = new Tenure(this.options.process, lane, ledger.conveyed.get(lane) ?? nothingConveyed);
      this.tenures.set(lane, tenure);
      this.delivering.set(tenure.id, tenure);
    }
  }

  /** Asks where the partitions go on; their fetches begin with the answer. */
  private locate(partitions: readonly TopicPartition[]): void {
    const { cluster, run } = this.options;
    const { session } = this;
    this.request(() => {
      const { metadata } = cluster.ledger;
      const answer = partitions.map(({ topic, partition }) => {
        const lane = laneOf({ topic, partition });
        const endOffset = this.logOf({ topic, partition }).end;
        return { topic, partition, offset: this.committedOf(lane), metadata: metadata.get(lane) ?? '', endOffset };
      });
      cluster.timeline.after(this.delay(), () =>
        run(() => {
          if (session !== this.session) return;
          for (const position of answer) this.positions.set(laneOf(position), position.offset);
          this.listener?.onPositions(answer);
          this.poke();
        }),
      );
    });
  }

  private lose(): void {
    this.own([]);
    this.toldMemberId = undefined;
    this.listener?.onLost();
  }

  private join(): void {
    const { cluster, instanceId, isSilent } = this.options;
    const { memberId } = this;
    const join = ++this.joins;
    this.state = 'joining';
    this.request(() => {
      if (this.state !== 'joining' || join !== this.joins) return;
      this.pendingId = cluster.group.join(this, { memberId, instanceId });
      if (isSilent()) cluster.group.silence(this);
    });
  }

  /** One fetch per partition is outstanding. What is paused meanwhile is delivered still. */
  private fetch(log: PartitionLog): void {
    const { lane } = log;
    const { cluster, run } = this.options;
    if (!this.tenures.has(lane) || this.paused.has(lane) || this.fetching.has(lane)) return;
    const position = this.positions.get(lane);
    if (position === undefined || position >= log.end) return;
    const { session } = this;
    this.fetching.add(lane);
    cluster.timeline.after(this.delay(), () => {
      const limits = {
        maxRecords: cluster.random.integer(1, cluster.fetchRecords),
        isGapAlone: cluster.random.chance(0.6),
      };
      const batch = log.fetch(position, limits);
      run(() => {
        if (session !== this.session) return;
        this.fetching.delete(lane);
        const tenure = this.tenures.get(lane);
        if (batch !== undefined && tenure !== undefined) {
          this.positions.set(lane, batch.lastOffset + 1);
          const records = batch.records.map((record) => ({ ...record, headers: [tenure.header] }));
          this.listener?.onBatch({ ...batch, records });
          cluster.ledger.deliver(tenure, records);
        }
        this.poke();
      });
    });
  }

  /** Arrives after what was sent before, whatever becomes of the process meanwhile. */
  private request(arrive: () => void): void {
    const { timeline } = this.options.cluster;
    this.lastArrival = Math.max(this.lastArrival, timeline.now + this.delay());
    this.lastArrival += 0.001;
    timeline.after(this.lastArrival - timeline.now, arrive);
  }

  private conveyedBy(position: CommitPosition): Conveyed {
    const tenure = this.tenures.get(laneOf(position));
    if (tenure === undefined || (position.metadata ?? '') === '') return nothingConveyed;
    return tenure.conveyedAt(this.options.cluster.timeline.step);
  }

  private get expectedId(): string | undefined {
    return this.pendingId ?? this.memberId;
  }

  private logOf({ partition }: TopicPartition): PartitionLog {
    return this.options.cluster.logs[partition]!;
  }

  private committedOf(lane: string): number {
    return this.options.cluster.ledger.committed.get(lane) ?? 0;
  }

  private delay(): number {
    const { random } = this.options.cluster;
    return random.chance(0.9) ? random.between(0.5, 20) : random.between(20, 600);
  }
}
