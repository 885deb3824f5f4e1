import type { Stretch } from './finished-stretches.js';

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
  /** What an earlier owner finished and this one has not come to yet, in order. */
  private restored: readonly Stretch[] = [];
  private finished = 0;
  /** What the watermark was at least when {@link isWiderThan} looked it up. */
  private floor = 0;

  /** Goes on where an earlier owner stopped: below `offset`, and in the stretches above it, everything is finished. */
  restore(offset: number, finished: readonly Stretch[]): void {
    this.next = offset;
    this.restored = finished;
  }

  /**
   * Takes a record. False when there is nothing to do for it: it was taken before (a rejoin fetches again from the
   * committed offset), or an earlier owner has finished it.
   */
  take(offset: number): boolean {
    if (this.next !== undefined && offset < this.next) return false;
    this.next = offset + 1;
    if (this.isRestored(offset)) return false;
    this.unfinished.add(offset);
    return true;
  }

  /** Notes that nothing else up to `lastOffset` will ever be delivered. */
  passOver(lastOffset: number): void {
    this.next = Math.max(this.next ?? 0, lastOffset + 1);
  }

  finish(offset: number): void {
    if (this.unfinished.delete(offset)) this.finished++;
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

  /** How many records were finished here: says whether something changed. */
  get finishedCount(): number {
    return this.finished;
  }

  /** The offset behind the last one that was taken here, or finished by an earlier owner. */
  get knownEnd(): number {
    return Math.max(this.next ?? 0, this.restored.at(-1)?.end ?? 0);
  }

  /** From the watermark to the last offset that was taken. */
  get span(): number {
    return (this.next ?? 0) - (this.watermark ?? 0);
  }

  /**
   * Whether the span is larger than this. It is asked after every record, and a Set steps over all that was deleted from
   * it lately to find its first member: so the watermark is looked up only when it may matter.
   */
  isWiderThan(span: number): boolean {
    const { next = 0 } = this;
    if (next - this.floor <= span) return false;
    this.floor = this.watermark ?? next;
    return next - this.floor > span;
  }

  /** What is finished above the watermark, in order. */
  *finishedStretches(): Iterable<Stretch> {
    if (this.next === undefined) return;
    let begin: number | undefined;
    for (const open of this.unfinished) {
      if (begin !== undefined && begin < open) yield { begin, end: open };
      begin = open + 1;
    }
    if (begin !== undefined && begin < this.next) yield { begin, end: this.next };
    for (const { begin: restoredFrom, end } of this.restored) {
      if (end > this.next) yield { begin: Math.max(restoredFrom, this.next), end };
    }
  }

  private isRestored(offset: number): boolean {
    if (this.restored.length === 0) return false;
    const passed = this.restored.findIndex(({ end }) => end > offset);
    this.restored = passed < 0 ? [] : passed > 0 ? this.restored.slice(passed) : this.restored;
    const [first] = this.restored;
    return first !== undefined && first.begin <= offset;
  }
}
