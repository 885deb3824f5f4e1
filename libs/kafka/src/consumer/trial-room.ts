/** A consumer, as the others of its process see it. */
export interface RoomMember {
  /** Whether nothing of it runs, or waits to run. */
  readonly isIdle: boolean;
  /** Somebody has finished, or has gone. */
  onRoomChange(): void;
}

/**
 * What the consumers of one process share: at most one of them tries suspects at a time, and meanwhile none starts
 * anything else, or nobody could say what ended the process.
 */
export class TrialRoom {
  private readonly members = new Set<RoomMember>();
  /** The first one may try its suspects; the others wait for their turn. */
  private readonly claims = new Set<RoomMember>();

  join(member: RoomMember): void {
    this.members.add(member);
  }

  leave(member: RoomMember): void {
    this.members.delete(member);
    this.release(member);
  }

  /** From here on no member starts anything but a group of suspects. */
  claim(member: RoomMember): void {
    this.claims.add(member);
  }

  release(member: RoomMember): void {
    this.claims.delete(member);
    for (const each of this.members) each.onRoomChange();
  }

  /** Whether nobody has suspects. */
  get isOpen(): boolean {
    return this.claims.size === 0;
  }

  /** Whether it is the member's turn, and nothing else runs. */
  isFreeFor(member: RoomMember): boolean {
    const [first] = this.claims;
    return first === member && [...this.members].every(({ isIdle }) => isIdle);
  }
}

/** The one of this process. */
export const processTrialRoom = new TrialRoom();
