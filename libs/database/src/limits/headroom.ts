interface Room {
  left: number;
  countedAt: number;
  /** All that was ever taken. */
  taken: number;
  /** What was taken by those who are not finished: a count may not see it yet. */
  unfinished: number;
  /** Whether there is surely no more than `left`: the last count left all that there was, and nobody has taken of it. */
  isExact: boolean;
}

/** What a count began with. */
export type CountStart = Readonly<Pick<Room, 'taken' | 'unfinished'>>;

/**
 * How much is left below a limit, for each key: counted now and then, and taken from in between. So a limit is not counted
 * with every document, and one process never goes beyond it; what others take meanwhile is seen at the next count.
 */
export class Headroom {
  private readonly rooms = new Map<string, Room>();

  /** `maxAgeMs` is how long a count is believed; `now` is in milliseconds on a clock that never goes back. */
  constructor(
    private readonly maxAgeMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether the key has to be counted before `wanted` more are taken. */
  isUnsure(key: string, wanted: number): boolean {
    const { left, countedAt } = this.roomOf(key);
    return left < wanted || this.now() - countedAt > this.maxAgeMs;
  }

  /** Call it before a count, and give what it returns to `counted`. */
  beginCount(key: string): CountStart {
    const { taken, unfinished } = this.roomOf(key);
    return { taken, unfinished };
  }

  /**
   * Notes what a count has left below the limit. What was taken by those who were not finished when it began, or since, is
   * taken off: it may be in the count as well, so the room may be too small for a moment, but never too large.
   */
  counted(key: string, left: number, start: CountStart): void {
    const room = this.roomOf(key);
    const unseen = start.unfinished + room.taken - start.taken;
    room.left = Math.max(left - unseen, 0);
    room.isExact = unseen === 0 || left === 0;
    room.countedAt = this.now();
  }

  /** Whether there surely is no more room than is left. Else a count shows it, once what is unfinished has ended. */
  isExact(key: string): boolean {
    return this.roomOf(key).isExact;
  }

  /** Takes one; false when nothing is left. Whoever takes says when it is finished, whatever came of it. */
  take(key: string): boolean {
    const room = this.roomOf(key);
    if (room.left === 0) return false;
    room.left -= 1;
    // Who takes may roll back.
    room.isExact = false;
    room.taken += 1;
    room.unfinished += 1;
    return true;
  }

  /** What was taken has come about, and any count sees it; or it never will. */
  finish(key: string): void {
    this.roomOf(key).unfinished -= 1;
  }

  private roomOf(key: string): Room {
    const known = this.rooms.get(key);
    if (known !== undefined) return known;
    const room: Room = { left: 0, countedAt: -Infinity, taken: 0, unfinished: 0, isExact: false };
    this.rooms.set(key, room);
    return room;
  }
}
