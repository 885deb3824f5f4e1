import type { Stretch } from './finished-stretches.js';

/**
 * The offsets of a partition that are not known to be finished: from a watermark on, without the finished stretches. Some
 * may not exist in the log (compaction, markers of transactions); who counts, counts them with the others.
 */
export class OpenOffsets {
  private readonly stretches: readonly Stretch[];

  constructor(watermark: number, finished: Iterable<Stretch>) {
    const stretches: Stretch[] = [];
    let begin = watermark;
    for (const stretch of finished) {
      if (stretch.begin > begin) stretches.push({ begin, end: stretch.begin });
      begin = Math.max(begin, stretch.end);
    }
    this.stretches = [...stretches, { begin, end: Number.POSITIVE_INFINITY }];
  }

  /** How many lie below `until`. */
  countBelow(until: number): number {
    let count = 0;
    for (const { begin, end } of this.stretches) count += Math.max(0, Math.min(end, until) - begin);
    return count;
  }

  /** The offset below which so many of them lie; at least one. */
  boundOf(count: number): number {
    let rest = count;
    for (const { begin, end } of this.stretches) {
      if (end - begin >= rest) return begin + rest;
      rest -= end - begin;
    }
    throw new RangeError(`Nothing holds ${count} offsets.`);
  }
}
