import { nothingConveyed, type Conveyed } from '../ledger/tenure.js';

/** What the broker keeps for a group and a partition. */
export interface GroupOffset {
  readonly offset: number;
  /** Of the last commit: one without it erases it. */
  readonly metadata: string;
  /** What the metadata says to be finished above the offset. */
  readonly conveyed: Conveyed;
  /** Committed by somebody who is no member: a tool, or a process of other software. */
  readonly isForeign: boolean;
}

const nothingCommitted: GroupOffset = { offset: 0, metadata: '', conveyed: nothingConveyed, isForeign: false };

/** The committed offsets of one group. It takes what is committed, whoever's partition it is. */
export class GroupOffsets {
  private readonly byLane = new Map<string, GroupOffset>();

  get(lane: string): GroupOffset {
    return this.byLane.get(lane) ?? nothingCommitted;
  }

  has(lane: string): boolean {
    return this.byLane.has(lane);
  }

  set(lane: string, offset: GroupOffset): void {
    this.byLane.set(lane, offset);
  }

  /** As an operator's tool does, or a stranger: without a word about what lies above. */
  setByHand(lane: string, offset: number): void {
    this.byLane.set(lane, { ...nothingCommitted, offset, isForeign: true });
  }
}
