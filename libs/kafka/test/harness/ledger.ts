import type { BrokerRecord, CommitPosition, TopicPartition } from '../../src/broker-port.js';
import { decodeStretches } from '../../src/consumer/finished-stretches.js';
import { laneOf } from '../../src/consumer/partition-epoch.js';
import type { HandlerContext, IncomingRecord } from '../../src/incoming-record.js';

/**
 * An account, kept outside of the runtime, of what was promised: per key no overlap and offset order, and no commit that
 * passes an unfinished record or goes back. It notes what is wrong rather than throws, since the runtime would take what
 * is thrown for a failure of the handler or of the commit.
 */
export class Ledger {
  readonly violations: string[] = [];
  /** Per partition, what is known to be finished to the assignment that holds it. */
  private readonly finished = new Map<string, Set<number>>();
  private readonly carried = new Map<string, readonly number[]>();
  private readonly committed = new Map<string, number>();
  private readonly busyKeys = new Set<string>();
  /** The last record that was started, per assignment and key. */
  private readonly started = new Map<AbortSignal, Map<string, number>>();

  start(record: IncomingRecord, { signal, attempt }: HandlerContext): void {
    const key = `${record.topic}/${String(record.key)}`;
    if (this.busyKeys.has(key)) this.note(record, 'starts while its key is busy');
    if (signal.aborted) this.note(record, 'starts although its partition was lost');
    this.busyKeys.add(key);
    // Order is kept inside of a partition; across them it rests on revisions.
    const ordered = `${laneOf(record)} ${key}`;
    const started = this.started.get(signal) ?? new Map<string, number>();
    this.started.set(signal, started);
    const last = started.get(ordered) ?? -1;
    if (record.offset < last) this.note(record, `starts after ${last}`);
    if (attempt > 1 && record.offset !== last) this.note(record, 'is tried again after another one of its key');
    started.set(ordered, record.offset);
  }

  end(record: BrokerRecord): void {
    this.busyKeys.delete(`${record.topic}/${String(record.key)}`);
  }

  /** The record was handled, or settled, while its assignment held. */
  finish(record: BrokerRecord): void {
    const lane = laneOf(record);
    const finished = this.finished.get(lane) ?? new Set<number>();
    this.finished.set(lane, finished.add(record.offset));
  }

  /** Of what the lost assignment did, only what a commit has carried is known to the next one. */
  lose(partition: TopicPartition): void {
    this.finished.set(laneOf(partition), new Set(this.carried.get(laneOf(partition))));
  }

  commit(position: CommitPosition, log: readonly BrokerRecord[]): void {
    const lane = laneOf(position);
    const before = this.committedOf(position);
    if (position.offset < before) this.note(position, `is committed after ${before}`);
    const finished = this.finished.get(lane);
    const passed = log.filter(({ offset }) => offset >= before && offset < position.offset && !finished?.has(offset));
    if (passed.length > 0) this.note(position, `is committed past ${passed.map(({ offset }) => offset).join()}`);
    const carried = decodeStretches(position.offset, position.metadata).flatMap(({ begin, end }) =>
      log.map(({ offset }) => offset).filter((offset) => offset >= begin && offset < end),
    );
    const unknown = carried.filter((offset) => !finished?.has(offset));
    if (unknown.length > 0) this.note(position, `is committed with ${unknown.join()} as finished`);
    this.carried.set(lane, carried);
    this.committed.set(lane, position.offset);
  }

  committedOf(partition: TopicPartition): number {
    return this.committed.get(laneOf(partition)) ?? 0;
  }

  note({ topic, partition, offset }: CommitPosition, what: string): void {
    this.violations.push(`${topic}/${partition}@${offset} ${what}`);
  }
}
