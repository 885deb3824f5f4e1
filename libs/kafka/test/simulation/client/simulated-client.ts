import { StopService } from '@anabranch/failures';
import type {
  BrokerListener,
  BrokerPort,
  BrokerRecord,
  CommitPosition,
  TopicPartition,
} from '../../../src/broker-port.js';
import type { PartitionLog } from '../broker/partition-log.js';
import type { GroupClient } from '../broker/simulated-group.js';
import type { Tenure } from '../ledger/tenure.js';
import type { ClientContext, Cluster } from './cluster.js';
import { CommitRequests } from './commit-requests.js';
import { Connection } from './connection.js';
import { Fetcher } from './fetcher.js';
import { Ownership } from './ownership.js';

export interface ClientOptions extends ClientContext {
  readonly instanceId: string | undefined;
  /** Whether the process is frozen, and so sends no heartbeats. */
  readonly isSilent: () => boolean;
}

/** How long a client takes at most to notice a partition that was added. */
const looksWithinMs = 5_000;

/** A client of one process: what `BrokerPort` promises, done as kafkajs does it. Here is its membership. */
export class SimulatedClient implements BrokerPort, GroupClient {
  private memberId: string | undefined;
  /** Of a join that was not answered yet. */
  private pendingId: string | undefined;
  private generation = -1;
  private listener: BrokerListener | undefined;
  private state: 'idle' | 'joining' | 'member' | 'closed' = 'idle';
  /** The member that the runtime was told of; another one means that the group went on without us. */
  private toldMemberId: string | undefined;
  private joins = 0;
  private readonly connection: Connection;
  private readonly ownership: Ownership;
  private readonly fetcher: Fetcher;
  private readonly commits: CommitRequests;
  private readonly first = Promise.withResolvers<void>();

  constructor(private readonly options: ClientOptions) {
    const { timeline, random } = options.cluster;
    const connection = new Connection(timeline, random);
    const ownership = new Ownership(options.process);
    this.connection = connection;
    this.ownership = ownership;
    this.commits = new CommitRequests({ ...options, connection, ownership });
    this.fetcher = new Fetcher({
      ...options,
      connection,
      ownership,
      isMember: () => this.state === 'member',
      onPositions: (positions) => this.listener?.onPositions(positions),
      onBatch: (batch) => this.listener?.onBatch(batch),
      onNowhere: (error) => this.giveUp(error),
    });
  }

  /** Answers always come; that they might not is no matter of this simulation. */
  get fetchedAt(): number {
    return this.cluster.timeline.now;
  }

  start(listener: BrokerListener): Promise<void> {
    this.listener = listener;
    this.join();
    return this.first.promise;
  }

  /** Its group has one topic. */
  setTopics(): void {}

  pause(partitions: readonly TopicPartition[]): void {
    this.fetcher.pause(partitions);
  }

  resume(partitions: readonly TopicPartition[]): void {
    this.fetcher.resume(partitions);
  }

  commit(positions: readonly CommitPosition[]): Promise<void> {
    return this.commits.send(positions, { memberId: this.memberId, generation: this.generation });
  }

  stop(_deadlineMs: number, { isRemoved = false }: { isRemoved?: boolean } = {}): Promise<void> {
    const { instanceId, run } = this.options;
    const { memberId } = this;
    if (!this.commits.hasToWait) this.handOver();
    this.close();
    const answer = Promise.withResolvers<void>();
    this.connection.request(() => {
      if (memberId !== undefined && (isRemoved || instanceId === undefined)) this.cluster.group.leave(memberId);
      else this.cluster.group.silence(this);
      run(() => answer.resolve());
    });
    return answer.promise;
  }

  /** The process has gone, or the client is told to be silent. */
  close(): void {
    this.state = 'closed';
    this.fetcher.drop();
    this.ownership.end();
  }

  /** The process runs again. */
  wake(): void {
    const { expectedId, state } = this;
    if (state !== 'closed' && expectedId !== undefined) this.cluster.group.wake(this, expectedId);
  }

  tenureOf(record: Pick<BrokerRecord, 'headers'>): Tenure {
    return this.ownership.tenureOf(record);
  }

  /** kafkajs crashed and starts again by itself, as another member that knows nothing of pauses. */
  restart(): void {
    if (this.state !== 'member') return;
    this.cluster.group.silence(this);
    this.fetcher.forgetPauses();
    this.fetcher.drop();
    this.lose();
    this.memberId = undefined;
    this.join();
  }

  refetch(): void {
    if (this.state === 'member') this.fetcher.again();
  }

  /** For how long the runtime has waited for answers to commits so far. */
  get waitedForCommitsMs(): number {
    return this.commits.waitedMs;
  }

  /** Whether it will find that a log was cut there, because it has read more of it. */
  hasReadPast(log: PartitionLog, offset: number): boolean {
    return this.cluster.group.isOwner(this, log) && (this.fetcher.positionIn(log) ?? 0) > offset;
  }

  /** There may be something to fetch. */
  poke(): void {
    this.fetcher.poke();
  }

  /** The client sees before long which partitions there are, and joins for those that nobody has. */
  lookForPartitions(): void {
    const { group, logs, timeline, random } = this.cluster;
    timeline.after(random.between(0, looksWithinMs), () =>
      this.options.run(() => {
        if (logs.some((log) => !group.isAssigned(log))) this.joinAnew();
      }),
    );
  }

  onRebalance(): void {
    this.options.run(() => this.joinAnew());
  }

  onUnknownMember(memberId: string): void {
    this.options.run(() => {
      if (this.state === 'closed' || memberId !== this.expectedId) return;
      this.memberId = undefined;
      this.pendingId = undefined;
      this.fetcher.drop();
      this.join();
    });
  }

  onFenced(): void {
    this.options.run(() => {
      if (this.state === 'closed') return;
      this.giveUp(new StopService(`FENCED_INSTANCE_ID: ${this.options.instanceId ?? ''}`));
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
      this.ownership.own(partitions);
      this.fetcher.forgetPositions();
      this.listener?.onAssigned(partitions);
      this.first.resolve();
      this.fetcher.locate(partitions);
      this.lookForPartitions();
    });
  }

  private get cluster(): Cluster {
    return this.options.cluster;
  }

  private get expectedId(): string | undefined {
    return this.pendingId ?? this.memberId;
  }

  private joinAnew(): void {
    if (this.state !== 'member') return;
    this.state = 'joining';
    this.fetcher.drop();
    const hadToWait = this.commits.hasToWait;
    this.listener?.onRevoking();
    if (!hadToWait) this.handOver();
    this.join();
  }

  private join(): void {
    const { instanceId, isSilent } = this.options;
    const { memberId } = this;
    const join = ++this.joins;
    this.state = 'joining';
    this.connection.request(() => {
      if (this.state !== 'joining' || join !== this.joins) return;
      this.pendingId = this.cluster.group.join(this, { memberId, instanceId });
      if (isSilent()) this.cluster.group.silence(this);
    });
  }

  /** The runtime has had its chance to commit, unless it still waited for the answer to an earlier commit. */
  private handOver(): void {
    const { ledger, logs } = this.cluster;
    for (const log of logs) {
      const tenure = this.ownership.of(log);
      if (tenure !== undefined) ledger.commits.handOver(tenure, log);
    }
  }

  private lose(): void {
    this.ownership.own([]);
    this.toldMemberId = undefined;
    this.listener?.onLost();
  }

  private giveUp(error: Error): void {
    this.close();
    this.listener?.onFatal(error);
  }
}
