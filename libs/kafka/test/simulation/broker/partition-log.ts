import type { BrokerBatch, BrokerRecord, TopicPartition } from '../../../src/broker-port.js';
import { laneOf } from '../../../src/consumer/partition-epoch.js';

/** What of a log there is, at one moment. */
export interface LogRange extends TopicPartition {
  readonly lane: string;
  /** The oldest offset that is there. */
  readonly start: number;
  /** The offset that the next record gets. */
  readonly end: number;
}

/** One partition's log, with the gaps that compaction and transactions leave, and what retention and accidents take. */
export class PartitionLog implements LogRange {
  readonly topic: string;
  readonly partition: number;
  readonly records: BrokerRecord[] = [];
  /** What retention took. */
  readonly removed: BrokerRecord[] = [];
  /** The oldest offset that is still there. */
  start = 0;
  /** The offset that the next record gets. */
  end = 0;
  /** The end that it had before it was cut. */
  private formerEnd = 0;
  /** Where it was cut, at its lowest. */
  private lowestCut = Number.POSITIVE_INFINITY;

  constructor({ topic, partition }: TopicPartition) {
    this.topic = topic;
    this.partition = partition;
  }

  get lane(): string {
    return laneOf(this);
  }

  /** What a member that does not know of a cut may take for the end. */
  get highestEnd(): number {
    return Math.max(this.end, this.formerEnd);
  }

  get range(): LogRange {
    const { topic, partition, lane, start, end } = this;
    return { topic, partition, lane, start, end };
  }

  append(record: Pick<BrokerRecord, 'key' | 'value' | 'timestamp'>): BrokerRecord {
    const { topic, partition } = this;
    const appended = { topic, partition, offset: this.end++, headers: [], ...record };
    this.records.push(appended);
    return appended;
  }

  /** Appends what no consumer sees: aborted records, markers, or what compaction took. */
  skip(count: number): void {
    this.end += count;
  }

  /** The offset at such a share of what is there, from 0 to 1. */
  offsetAt(share: number): number {
    return this.start + Math.floor(share * (this.end - this.start));
  }

  /** As retention does: the log begins later. */
  removeBelow(offset: number): void {
    this.start = Math.max(this.start, offset);
    while (this.records[0] !== undefined && this.records[0].offset < this.start) {
      this.removed.push(this.records.shift()!);
    }
  }

  /** As the loss of a leader that was ahead does: the log ends earlier, and its offsets are given again. Returns what is lost. */
  cutAt(offset: number): BrokerRecord[] {
    this.formerEnd = this.highestEnd;
    this.end = offset;
    this.lowestCut = Math.min(this.lowestCut, offset);
    const kept = this.records.filter((record) => record.offset < offset);
    return this.records.splice(kept.length);
  }

  /** Whether it was cut, and may have ended there since. */
  mayHaveEndedAt(offset: number): boolean {
    return offset >= this.lowestCut && offset <= this.highestEnd;
  }

  /** Whether a fetch from there finds its place. */
  has(position: number): boolean {
    return position >= this.start && position <= this.end;
  }

  /** What a fetch from there brings: at most so many records; without any when there is a gap and `isGapAlone`. */
  fetch(position: number, limits: { maxRecords: number; isGapAlone: boolean }): BrokerBatch | undefined {
    if (position >= this.end) return undefined;
    const { topic, partition, end } = this;
    const ahead = this.records.filter(({ offset }) => offset >= position);
    const hasGap = ahead[0] === undefined || ahead[0].offset > position;
    const records = hasGap && limits.isGapAlone ? [] : ahead.slice(0, limits.maxRecords);
    // Like a record batch: it covers the gap behind its last record, too.
    const next = ahead[records.length];
    return { topic, partition, records, lastOffset: (next?.offset ?? end) - 1, endOffset: end };
  }
}
