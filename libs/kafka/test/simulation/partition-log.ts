import type { BrokerBatch, BrokerRecord, TopicPartition } from '../../src/broker-port.js';
import { laneOf } from '../../src/consumer/partition-epoch.js';

/** One partition's log, with the gaps that compaction and transactions leave. */
export class PartitionLog implements TopicPartition {
  readonly topic = 'topic';
  readonly records: BrokerRecord[] = [];
  /** The offset that the next record gets. */
  end = 0;

  constructor(readonly partition: number) {}

  get lane(): string {
    return laneOf(this);
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
