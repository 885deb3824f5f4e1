/**
 * The offsets of one partition that were taken and are not finished yet.
 *
 * Invariant: the watermark, which is what gets committed, never passes an unfinished record. Gaps between offsets are
 * normal (compaction, markers of transactions), so the offsets *not* to pass are what is kept: everything else below
 * `next` is finished, and the finished stretches above the watermark are the gaps between the unfinished ones.
 */
export class OffsetWindow {
  /** In offset order, because records are taken in it and a Set keeps the order of insertion. */
  private readonly unfinished = new Set<number>();
  private next: number | undefined;

  /** Takes a record. False when it was taken before: a rejoin fetches again from the committed offset. */
  take(offset: number): boolean {
    if (this.next !== undefined && offset < this.next) return false;
    this.unfinished.add(offset);
    this.next = offset + 1;
    return true;
  }

  /** Notes that nothing else up to `lastOffset` will ever be delivered. */
  passOver(lastOffset: number): void {
    this.next = Math.max(this.next ?? 0, lastOffset + 1);
  }

  finish(offset: number): void {
    this.unfinished.delete(offset);
  }

  /** All records below it are finished; undefined before the first one was seen. */
  get watermark(): number | undefined {
    const [oldest] = this.unfinished;
    return oldest ?? this.next;
  }

  /** How many records are unfinished. */
  get size(): number {
    return this.unfinished.size;
  }
}
