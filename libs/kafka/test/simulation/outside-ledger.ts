import type { BrokerRecord, CommitPosition, RecordHeader } from '../../src/broker-port.js';
import { laneOf } from '../../src/consumer/partition-epoch.js';
import type { PlannedRecord, Schedule } from './schedule.js';

/** What owners finished above their committed offset, and said so with the commit. */
export interface Conveyed {
  readonly certain: ReadonlySet<number>;
  readonly possible: ReadonlySet<number>;
}

export const nothingConveyed: Conveyed = { certain: new Set(), possible: new Set() };

let tenures = 1_000_000;

/** One process's ownership of one partition, as its client knows it: from an assignment to the loss. */
export class Tenure {
  readonly id = String(++tenures);
  /** On each record that it delivers. */
  readonly header: RecordHeader = ['tenure', Buffer.from(this.id)];
  isCurrent = true;
  /** Offsets, each with the bytes of its record. */
  readonly delivered = new Map<number, number>();
  /** Finished offsets, each with the step of the timeline at which it was. */
  readonly finished = new Map<number, number>();
  /** Per key, the last record that was started and its attempt. */
  readonly started = new Map<string, { offset: number; attempt: number }>();
  /** What its last commit that was sent says. */
  sent: { readonly offset: number; readonly conveyed: Conveyed } | undefined;

  constructor(
    readonly process: string,
    readonly lane: string,
    private readonly inherited: Conveyed,
  ) {}

  /** What a commit with metadata says at this step. What finishes in the same step may be in it, or not yet. */
  conveyedAt(step: number): Conveyed {
    const settled = [...this.finished].filter(([, at]) => at < step).map(([offset]) => offset);
    return {
      certain: new Set([...this.inherited.certain, ...settled]),
      possible: new Set([...this.inherited.possible, ...this.finished.keys()]),
    };
  }

  isDone(offset: number): boolean {
    return this.finished.has(offset) || this.inherited.certain.has(offset);
  }

  mayPass(offset: number): boolean {
    return this.finished.has(offset) || this.inherited.possible.has(offset);
  }
}

/** A commit on its way to the broker. */
export interface SentCommit {
  readonly position: CommitPosition;
  /** The ownership that it was sent in. */
  readonly tenure: Tenure | undefined;
  /** What its metadata says to be finished above its offset. */
  readonly conveyed: Conveyed;
}

/** How a record can come to its end. */
type End = 'handled' | 'dead letter' | 'refusal' | 'deferral';

/** A broken promise. The invariant's name is what mutants are reported under. */
export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

/** Tries that a record may have in one tenure: the settings that every simulated process has. */
export const mostTries = { later: 4, bug: 2 };

/**
 * An account of what was promised, kept outside of the runtime, from what handlers and the broker saw. It notes what is
 * wrong rather than throws: the runtime would take what is thrown for a failure of the handler or of the client.
 */
export class OutsideLedger {
  readonly violations: Violation[] = [];
  readonly committed = new Map<string, number>();
  /** As the broker keeps it: a commit without metadata erases it. */
  readonly metadata = new Map<string, string>();
  /** Per partition, what the last commit's metadata said to be finished above it. */
  readonly conveyed = new Map<string, Conveyed>();
  private readonly busyKeys = new Set<string>();
  private readonly ends = new Map<string, Set<End>>();

  constructor(
    private readonly clock: { readonly step: number },
    private readonly limits: Pick<Schedule, 'maxRecords' | 'maxBytes' | 'fetchRecords' | 'maxInFlight' | 'topicLimit'>,
    private readonly planOf: (record: BrokerRecord) => PlannedRecord,
  ) {}

  deliver(tenure: Tenure, records: readonly BrokerRecord[]): void {
    for (const record of records) tenure.delivered.set(record.offset, bytesOf(record));
    const unfinished = [...tenure.delivered].filter(([offset]) => !tenure.mayPass(offset));
    const bytes = unfinished.reduce((sum, [, size]) => sum + size, 0);
    const { maxRecords, maxBytes, fetchRecords } = this.limits;
    // The limit is not reached when a fetch begins, and what one fetch brings is accepted.
    if (unfinished.length < maxRecords + fetchRecords && bytes < maxBytes + fetchRecords * mostBytes) return;
    this.note('memory is bounded', `${tenure.process} holds ${unfinished.length} of ${tenure.lane}, ${bytes} bytes`);
  }

  start(tenure: Tenure | undefined, record: BrokerRecord, { process, attempt }: { process: string; attempt: number }) {
    const place = placeOf(record);
    const key = String(record.key);
    const busy = `${process} ${key}`;
    if (this.busyKeys.has(busy)) this.note('one key never overlaps', `${place} starts while ${busy} is busy`);
    this.busyKeys.add(busy);
    if (tenure === undefined || !tenure.isCurrent) {
      return this.note('nothing starts after the loss', `${place} starts in ${process}, which does not own it`);
    }
    const { behaviour } = this.planOf(record);
    const most = behaviour.includes('bug') ? mostTries.bug : mostTries.later;
    if (attempt > most) this.note('tries are bounded', `${place} is tried ${attempt} times`);
    if (tenure.isDone(record.offset)) this.note('finished is finished', `${place} starts again in ${process}`);
    const last = tenure.started.get(key);
    if (last !== undefined && record.offset < last.offset) {
      this.note('a key keeps its order', `${place} starts after ${last.offset} in ${process}`);
    }
    if (attempt > 1 && record.offset !== last?.offset) {
      this.note('a key keeps its order', `${place} is tried again after another one of its key in ${process}`);
    }
    tenure.started.set(key, { offset: record.offset, attempt });
  }

  end(record: BrokerRecord, process: string): void {
    this.busyKeys.delete(`${process} ${String(record.key)}`);
  }

  /** How many handlers of a process hold a slot, the new one included. */
  inFlight(process: string, count: number): void {
    const { maxInFlight, topicLimit } = this.limits;
    if (count > Math.min(maxInFlight, topicLimit))
      this.note('in-flight is bounded', `${process} runs ${count} handlers`);
  }

  /** A running handler was told to end. */
  abort(tenure: Tenure | undefined, record: BrokerRecord, isStopOverdue: boolean): void {
    if (tenure?.isCurrent !== true || isStopOverdue) return;
    this.note('a drain lets handlers end', `${placeOf(record)} is aborted in ${tenure.process}, which owns it`);
  }

  /** The record is done with, in this tenure; `how` also counts when the tenure is over. */
  finish(tenure: Tenure | undefined, record: BrokerRecord, how: End): void {
    tenure?.finished.set(record.offset, this.clock.step);
    const place = placeOf(record);
    const ends = this.ends.get(place) ?? new Set();
    this.ends.set(place, ends.add(how));
    const { due } = this.expectedEnd(record);
    if (how !== due) this.note('every record ends as it should', `${place} ends as ${how}, not ${due}`);
  }

  /** A running handler comes to its end, however: has it been told, if its partition was lost? */
  told(tenure: Tenure | undefined, record: BrokerRecord, signal: AbortSignal): void {
    if (tenure === undefined || tenure.isCurrent || signal.aborted) return;
    this.note('a handler hears of the loss', `${placeOf(record)} runs on in ${tenure.process}`);
  }

  /** The membership changes: what was finished must have been committed, or be on its way. */
  handOver(tenure: Tenure): void {
    const { sent, lane } = tenure;
    const committed = Math.max(this.committed.get(lane) ?? 0, sent?.offset ?? 0);
    const forgotten = [...tenure.finished].filter(
      ([offset, step]) =>
        step < this.clock.step &&
        offset >= committed &&
        sent?.conveyed.possible.has(offset) !== true &&
        this.conveyed.get(lane)?.possible.has(offset) !== true,
    );
    if (forgotten.length === 0) return;
    const offsets = forgotten.map(([offset]) => offset).join();
    this.note('a hand-over commits first', `${tenure.process} has not committed ${offsets} of ${lane}`);
  }

  /** A record becomes a dead letter. */
  bury(record: BrokerRecord): void {
    const { due } = this.expectedEnd(record);
    if (due !== 'dead letter') this.note('every record ends as it should', `${placeOf(record)} becomes a dead letter`);
  }

  /** A commit leaves a process. */
  send({ tenure, position: { topic, partition, offset }, conveyed }: SentCommit, process: string): void {
    if (tenure !== undefined) tenure.sent = { offset, conveyed };
    if (tenure?.isCurrent === true) return;
    const place = placeOf({ topic, partition, offset });
    this.note('only owned partitions are committed', `${process} commits ${place} without owning it`);
  }

  /** The broker takes a commit. */
  commit({ tenure, position, conveyed }: SentCommit, log: { records: readonly BrokerRecord[]; end: number }): void {
    const lane = laneOf(position);
    this.conveyed.set(lane, conveyed);
    this.metadata.set(lane, position.metadata ?? '');
    const before = this.committed.get(lane) ?? 0;
    if (position.offset < before) this.note('commits never go back', `${placeOf(position)} after ${before}`);
    if (position.offset > log.end) this.note('no commit passes the end', `${placeOf(position)}, the end is ${log.end}`);
    const passed = log.records.filter(
      ({ offset }) => offset >= before && offset < position.offset && tenure?.mayPass(offset) !== true,
    );
    if (passed.length > 0) {
      const offsets = passed.map(({ offset }) => offset).join();
      this.note('no commit passes an unfinished record', `${placeOf(position)} passes ${offsets}`);
    }
    this.committed.set(lane, position.offset);
  }

  /** Everything must be finished and committed by now. */
  close(logs: readonly { lane: string; records: readonly BrokerRecord[]; end: number }[]): void {
    for (const { lane, records, end } of logs) {
      const missing = records.filter((record) => !this.ends.get(placeOf(record))?.has(this.expectedEnd(record).due));
      if (missing.length > 0) {
        this.note('every record finishes', `${missing.map(placeOf).join()} did not`);
      } else if (end > (this.committed.get(lane) ?? 0)) {
        this.note('lag reaches zero', `${lane} is committed up to ${this.committed.get(lane) ?? 0} of ${end}`);
      }
    }
  }

  isDone(logs: readonly { lane: string; end: number }[]): boolean {
    return logs.every(({ lane, end }) => end === (this.committed.get(lane) ?? 0));
  }

  note(invariant: string, what: string): void {
    this.violations.push({ invariant, what });
  }

  private expectedEnd(record: BrokerRecord): { due: End } {
    const { behaviour, encoding } = this.planOf(record);
    if (encoding === 'unknown' || encoding === 'garbage') return { due: 'dead letter' };
    if (behaviour === 'is refused') return { due: 'refusal' };
    if (behaviour.includes('far later')) return { due: 'deferral' };
    return { due: /always|poison/.test(behaviour) ? 'dead letter' : 'handled' };
  }
}

/** No record of the simulation is larger. */
const mostBytes = 80;

function bytesOf({ key, value, headers }: BrokerRecord): number {
  const inHeaders = headers.reduce((sum, [name, content]) => sum + name.length + (content?.length ?? 0), 0);
  return (key?.length ?? 0) + (value?.length ?? 0) + inHeaders;
}

function placeOf({ topic, partition, offset }: CommitPosition): string {
  return `${topic}/${partition}@${offset}`;
}
