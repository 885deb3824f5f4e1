import { AsyncLocalStorage } from 'node:async_hooks';
import type { FoundPosition } from './start-positions.js';

/** What happens to a member below kafkajs' own events. */
export interface GroupMemberEvents {
  /** Another process took the seat; final, and told once. */
  onFenced(instanceId: string): void;
  /** A join is about to be sent: the last moment at which the assignment that the member has can be committed for. */
  onJoining(): void;
  /** The member goes on as a dynamic one. */
  onFallback(reason: string): void;
  /**
   * What the broker has for the partitions that were just assigned, before anything is fetched. Returns where each one
   * goes on, in the same order. @throws when one cannot
   */
  onFound(positions: readonly FoundPosition[]): readonly number[];
}

/**
 * One member of a group, as the wrapped parts of kafkajs see it. They find it by the asynchronous context, because nothing
 * that kafkajs hands on says which of a process's consumers it belongs to.
 */
export class GroupMember {
  private static readonly context = new AsyncLocalStorage<GroupMember>();
  /** It will not come back, so the others should get its partitions at once. */
  isRemoved = false;
  /** It is over: whatever kafkajs still tries on its behalf opens no connection any more. */
  hasLeft = false;
  /** How many partitions of each topic were dealt out with its assignment, if the group's leader said so. */
  dealt: ReadonlyMap<string, number> | undefined;
  /** How often it has asked for another assignment because there are more, how often in vain since it last had all, and
   * when last, on the monotonic clock. */
  readonly asked = { times: 0, inVain: 0, at: Number.NEGATIVE_INFINITY };
  /** What it is to consume; another list makes it join again. Undefined as long as nobody has said. */
  topics: readonly string[] | undefined;
  private fenced = false;

  constructor(
    readonly group: string,
    private seat: string | undefined,
    private readonly events: GroupMemberEvents,
  ) {}

  /** The member of this group on whose behalf the caller runs. */
  static current(group: string): GroupMember | undefined {
    const member = this.context.getStore();
    return member?.group === group ? member : undefined;
  }

  /** The member on whose behalf the caller runs, in whatever group. */
  static calling(): GroupMember | undefined {
    return this.context.getStore();
  }

  /** Runs what belongs to this member. */
  run<T>(work: () => T): T {
    return GroupMember.context.run(this, work);
  }

  /** The id under which the group keeps its seat; a dynamic member has none. */
  get instanceId(): string | undefined {
    return this.seat;
  }

  /** Whether another process has its seat: nothing may be delivered any more. */
  get isFenced(): boolean {
    return this.fenced;
  }

  startFrom(positions: readonly FoundPosition[]): readonly number[] {
    return this.events.onFound(positions);
  }

  beginJoin(): void {
    this.events.onJoining();
  }

  fence(): void {
    if (this.fenced || this.seat === undefined) return;
    this.fenced = true;
    this.events.onFenced(this.seat);
  }

  fallBack(reason: string): void {
    if (this.seat === undefined) return;
    this.seat = undefined;
    this.events.onFallback(reason);
  }
}
