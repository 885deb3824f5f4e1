import type { TopicPartition } from '../../../src/broker-port.js';
import type { SeededRandom } from '../seeded-random.js';
import type { Timeline } from '../timeline.js';

/** What the coordinator tells a member's client; a dead or frozen process hears nothing. */
export interface GroupClient {
  /** Answers a heartbeat: a rebalance has begun. */
  onRebalance(): void;
  /** Answers a join. */
  onJoined(memberId: string, generation: number, partitions: readonly TopicPartition[]): void;
  /** Answers a join or a heartbeat of a member that the group has given up. */
  onUnknownMember(memberId: string): void;
  /** Another process has taken the seat. */
  onFenced(): void;
}

interface Member {
  readonly id: string;
  readonly client: GroupClient;
  readonly instanceId: string | undefined;
  hasJoined: boolean;
  partitions: readonly TopicPartition[];
  cancelExpiry: () => void;
}

export interface GroupOptions {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly partitions: readonly TopicPartition[];
}

/** In the simulation every member has these; a heartbeat is only played where its answer says something. */
const sessionTimeoutMs = 6_000;
const heartbeatMs = 1_000;

/**
 * The coordinator of one consumer group. A rebalance waits until every member has joined again or lost its session; then
 * a new generation begins, of which the members hear one after the other, so that owners overlap.
 */
export class SimulatedGroup {
  private readonly members = new Map<string, Member>();
  private readonly fenced = new Set<string>();
  private readonly ousted = new Set<GroupClient>();
  private generation = 0;
  private isRebalancing = false;
  private ids = 0;

  constructor(private readonly options: GroupOptions) {}

  /**
   * A new member, or one that follows a rebalance; a static one finds its seat by its instance id. Returns the id under
   * which it will be answered.
   */
  join(client: GroupClient, { memberId, instanceId }: { memberId?: string; instanceId?: string }): string {
    if (memberId !== undefined) {
      this.rejoin(client, memberId);
      return memberId;
    }
    const seat = [...this.members.values()].find(
      (member) => instanceId !== undefined && member.instanceId === instanceId,
    );
    const id = `${instanceId ?? 'member'}-${++this.ids}`;
    const fresh = { id, client, instanceId, hasJoined: true, partitions: [], cancelExpiry: () => {} };
    if (seat !== undefined) this.takeSeat(seat, fresh);
    else {
      this.members.set(id, fresh);
      this.rebalance();
      this.completeIfAllJoined();
    }
    return id;
  }

  /** An orderly leave of a dynamic member. */
  leave(memberId: string): void {
    this.remove(memberId);
  }

  /** The client's heartbeats stop: its process is dead or frozen, or it begins anew as another member. */
  silence(client: GroupClient): void {
    for (const member of this.members.values()) {
      if (member.client !== client) continue;
      member.cancelExpiry();
      member.cancelExpiry = this.options.timeline.after(sessionTimeoutMs, () => this.remove(member.id));
    }
  }

  /** The process runs again: it learns with its next heartbeat what happened meanwhile. */
  wake(client: GroupClient, memberId: string): void {
    const member = this.members.get(memberId);
    member?.cancelExpiry();
    if (this.fenced.has(memberId)) this.atHeartbeat(() => client.onFenced());
    else if (member === undefined) this.atHeartbeat(() => client.onUnknownMember(memberId));
    else if (this.isRebalancing && !member.hasJoined) this.atHeartbeat(() => client.onRebalance());
  }

  /** Why a commit is refused, if it is. Whose partition it is for, the broker does not ask. */
  refusalOf(memberId: string, generation: number): string | undefined {
    if (this.fenced.has(memberId)) return 'FENCED_INSTANCE_ID';
    if (!this.members.has(memberId)) return 'UNKNOWN_MEMBER_ID';
    return generation === this.generation ? undefined : 'ILLEGAL_GENERATION';
  }

  /** Whether another process took this one's seat. */
  hasOusted(client: GroupClient): boolean {
    return this.ousted.has(client);
  }

  /** Whether the partition is this member's, as far as the coordinator knows. */
  isOwner(client: GroupClient, partition: TopicPartition): boolean {
    return [...this.members.values()].some(
      (member) => member.client === client && member.partitions.includes(partition),
    );
  }

  /** Whether some member has the partition, or will have it when the rebalance ends. */
  isAssigned(partition: TopicPartition): boolean {
    return this.isRebalancing || [...this.members.values()].some(({ partitions }) => partitions.includes(partition));
  }

  get isEmpty(): boolean {
    return this.members.size === 0;
  }

  rebalance(): void {
    if (this.isRebalancing || this.members.size === 0) return;
    this.isRebalancing = true;
    for (const { client, hasJoined } of this.members.values()) {
      if (!hasJoined) this.atHeartbeat(() => client.onRebalance());
    }
  }

  private rejoin(client: GroupClient, memberId: string): void {
    if (this.fenced.has(memberId)) return client.onFenced();
    const member = this.members.get(memberId);
    if (member === undefined) return this.atHeartbeat(() => client.onUnknownMember(memberId));
    member.hasJoined = true;
    this.rebalance();
    this.completeIfAllJoined();
  }

  private takeSeat(seat: Member, fresh: Member): void {
    seat.cancelExpiry();
    this.members.delete(seat.id);
    this.fenced.add(seat.id);
    if (seat.client !== fresh.client) {
      this.ousted.add(seat.client);
      this.atHeartbeat(() => seat.client.onFenced());
    }
    this.members.set(fresh.id, fresh);
    if (this.isRebalancing) return this.completeIfAllJoined();
    // No rebalance: the seat's partitions and the generation stay as they are.
    fresh.hasJoined = false;
    this.inform(Object.assign(fresh, { partitions: seat.partitions }));
  }

  private remove(memberId: string): void {
    const member = this.members.get(memberId);
    if (member === undefined) return;
    member.cancelExpiry();
    this.members.delete(memberId);
    if (member.hasJoined) this.atHeartbeat(() => member.client.onUnknownMember(memberId));
    this.rebalance();
    this.completeIfAllJoined();
  }

  private completeIfAllJoined(): void {
    const members = [...this.members.values()];
    if (!this.isRebalancing || members.length === 0 || members.some(({ hasJoined }) => !hasJoined)) {
      if (members.length === 0) this.isRebalancing = false;
      return;
    }
    this.isRebalancing = false;
    this.generation++;
    const order = this.options.random.shuffle(members);
    for (const [seat, member] of order.entries()) {
      member.hasJoined = false;
      member.partitions = this.options.partitions.filter((_, index) => index % members.length === seat);
      this.inform(member);
    }
  }

  /** Answers the join, after a while; a rebalance that began meanwhile is heard of at the next heartbeat. */
  private inform({ id, client, partitions }: Member): void {
    const { generation } = this;
    this.options.timeline.after(this.options.random.between(1, 400), () => {
      if (this.fenced.has(id)) return client.onFenced();
      if (!this.members.has(id)) return client.onUnknownMember(id);
      if (generation === this.generation) client.onJoined(id, generation, partitions);
      if (this.isRebalancing && this.members.get(id)?.hasJoined === false) this.atHeartbeat(() => client.onRebalance());
    });
  }

  private atHeartbeat(answer: () => void): void {
    this.options.timeline.after(this.options.random.between(1, heartbeatMs), answer);
  }
}
