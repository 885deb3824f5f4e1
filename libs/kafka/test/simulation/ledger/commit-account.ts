import type { BrokerRecord, CommitPosition } from '../../../src/broker-port.js';
import { laneOf } from '../../../src/consumer/partition-epoch.js';
import type { GroupOffsets } from '../broker/group-offsets.js';
import type { LogRange, PartitionLog } from '../broker/partition-log.js';
import { placeOf, type Note } from './note.js';
import type { Conveyed, Tenure } from './tenure.js';

/** A commit on its way to the broker. */
export interface SentCommit {
  readonly position: CommitPosition;
  /** The ownership that it was sent in. */
  readonly tenure: Tenure | undefined;
  /** What its metadata says to be finished above its offset. */
  readonly conveyed: Conveyed;
}

/** Where a partition, or its fetching, would go on, and where it does. */
export interface Start {
  readonly log: LogRange;
  readonly from: number;
  readonly to: number;
  /** Whether the log of the process says what is lost. */
  readonly isReported: boolean;
  readonly mayGoOn: boolean;
}

/** What may be committed, and when it must be. */
export class CommitAccount {
  private readonly setByStrangers = new Set<string>();
  /** Offsets that somebody else took from us: retention with our leave, a stranger's commit. */
  private readonly excused = new Map<string, { from: number; to: number }[]>();

  constructor(
    private readonly offsets: GroupOffsets,
    private readonly clock: { readonly step: number },
    private readonly note: Note,
  ) {}

  /** A commit leaves a process. */
  send({ tenure, position, conveyed }: SentCommit, process: string): void {
    if (tenure !== undefined) tenure.sent = { offset: position.offset, conveyed };
    if (tenure?.isCurrent === true) return;
    this.note('only owned partitions are committed', `${process} commits ${placeOf(position)} without owning it`);
  }

  /** The broker takes a commit. */
  take({ tenure, position, conveyed }: SentCommit, log: PartitionLog): void {
    const lane = laneOf(position);
    const before = this.offsets.get(lane);
    const { offset, metadata = '' } = position;
    const least = Math.max(before.isForeign ? 0 : before.offset, tenure?.accepted ?? 0, tenure?.begin ?? 0);
    if (offset < least) this.note('commits never go back', `${placeOf(position)} after ${least}`);
    if (offset > log.highestEnd) {
      this.note('no commit passes the end', `${placeOf(position)}, the end is ${log.highestEnd}`);
    }
    const passed = [...log.removed, ...log.records].filter(
      (record) => record.offset < offset && tenure?.mayPass(record.offset) !== true && !this.isExcused(record),
    );
    if (passed.length > 0) {
      const passedOffsets = passed.map((record) => record.offset).join();
      this.note('no commit passes an unfinished record', `${placeOf(position)} passes ${passedOffsets}`);
    }
    if (tenure !== undefined) tenure.accepted = offset;
    this.offsets.set(lane, { offset, metadata, conveyed, isForeign: false });
  }

  /** The membership changes: what was finished must have been committed, or be on its way. */
  handOver({ sent, lane, process, finished }: Tenure, log: LogRange): void {
    const { offset: committed, conveyed } = this.offsets.get(lane);
    // Whoever goes on does so elsewhere, whatever is committed now; or the member was told of a stranger's offset that its own
    // commit has replaced meanwhile, and waits until it has come so far. Either costs repeats.
    if (this.setByStrangers.has(lane) || committed < log.start) return;
    const covered = Math.max(committed, sent?.offset ?? 0);
    const forgotten = [...finished].filter(
      ([offset, step]) =>
        step < this.clock.step &&
        offset >= covered &&
        sent?.conveyed.possible.has(offset) !== true &&
        !conveyed.possible.has(offset),
    );
    if (forgotten.length === 0) return;
    const forgottenOffsets = forgotten.map(([offset]) => offset).join();
    this.note('a hand-over commits first', `${process} has not committed ${forgottenOffsets} of ${lane}`);
  }

  /** A partition goes on, at its assignment or in the midst of fetching. */
  start({ log, from, to, isReported, mayGoOn }: Start): void {
    const what = `${log.lane} goes on at ${to}, not at ${from}`;
    if (from > log.end) this.note('no offset is passed over in silence', `${what}; the log ends at ${log.end}`);
    if (to === from) return;
    if (!mayGoOn || !isReported) this.note('no offset is passed over in silence', what);
    this.excuse(log.lane, from, to);
  }

  /** The group has committed nothing for what retention has taken, and begins with what is left. */
  startAtFirst({ lane, start }: LogRange): void {
    if (start > 0) this.excuse(lane, 0, start);
  }

  /** Somebody who is no member sets the group's offset. */
  setByHand({ lane }: LogRange, offset: number): void {
    const before = this.offsets.get(lane).offset;
    if (offset > before) this.excuse(lane, before, offset);
    this.setByStrangers.add(lane);
    this.offsets.setByHand(lane, offset);
  }

  /** Whether it is not our fault when this record is never handled. */
  isExcused(record: BrokerRecord): boolean {
    const ranges = this.excused.get(laneOf(record)) ?? [];
    return ranges.some(({ from, to }) => record.offset >= from && record.offset < to);
  }

  /** Offsets from here on are given again. */
  forget(lane: string, from: number): void {
    const ranges = this.excused.get(lane) ?? [];
    this.excused.set(
      lane,
      ranges.map((range) => ({ ...range, to: Math.min(range.to, from) })),
    );
  }

  private excuse(lane: string, from: number, to: number): void {
    this.excused.set(lane, [...(this.excused.get(lane) ?? []), { from, to }]);
  }
}
