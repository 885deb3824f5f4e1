import type { BrokerRecord } from '../../../src/broker-port.js';
import { backoffMs } from '../../../src/consumer/retry-schedule.js';
import { retryPolicy } from '../process/retry-policy.js';
import type { PlannedRecord, Schedule } from '../schedule.js';
import { expectedEnd, type End } from './expected-end.js';
import { placeOf, type Note } from './note.js';
import type { Tenure } from './tenure.js';

export interface HandlingOptions {
  readonly clock: { readonly now: number; readonly step: number };
  readonly limits: Pick<Schedule, 'maxRecords' | 'maxBytes' | 'fetchRecords' | 'maxAgeMs' | 'canDefer'>;
  readonly planOf: (record: BrokerRecord) => PlannedRecord;
  /** Whether the dead letter of a record, or the row that defers it, has been written. */
  readonly isWritten: (what: 'dead letter' | 'deferral', place: string) => boolean;
  /** Whether it is not our fault when a record is never handled. */
  readonly isExcused: (record: BrokerRecord) => boolean;
  readonly note: Note;
}

export interface Start {
  readonly process: string;
  readonly attempt: number;
}

/** What records get: order, tries, an end. */
export class HandlingAccount {
  private readonly busyKeys = new Set<string>();
  private readonly ends = new Map<string, Set<End>>();
  /** Values of records whose log was cut below them: whoever read them before may still bring them to an end. */
  private readonly gone = new WeakSet<Buffer>();

  constructor(private readonly options: HandlingOptions) {}

  deliver(tenure: Tenure, records: readonly BrokerRecord[]): void {
    for (const record of records) {
      // Owners convey that they have passed over what was taken from them, so that it may be dropped.
      if (!this.options.isExcused(record)) tenure.receive(record.offset, bytesOf(record));
    }
    const unfinished = [...tenure.delivered].filter(([offset]) => !tenure.mayPass(offset));
    const bytes = unfinished.reduce((sum, [, size]) => sum + size, 0);
    const { maxRecords, maxBytes, fetchRecords } = this.options.limits;
    // The limit is not reached when a fetch begins, and what one fetch brings is accepted.
    if (unfinished.length < maxRecords + fetchRecords && bytes < maxBytes + fetchRecords * mostBytes) return;
    this.note('memory is bounded', `${tenure.process} holds ${unfinished.length} of ${tenure.lane}, ${bytes} bytes`);
  }

  start(tenure: Tenure | undefined, record: BrokerRecord, { process, attempt }: Start): void {
    const place = placeOf(record);
    const key = keyOf(record);
    const busy = `${process} ${key}`;
    if (this.busyKeys.has(busy)) this.note('one key never overlaps', `${place} starts while ${busy} is busy`);
    this.busyKeys.add(busy);
    if (tenure === undefined || !tenure.isCurrent) {
      return this.note('nothing starts after the loss', `${place} starts in ${process}, which does not own it`);
    }
    this.checkTry(tenure, record, attempt);
    if (tenure.isDone(record.offset)) this.note('finished is finished', `${place} starts again in ${process}`);
    const last = tenure.started.get(key);
    if (last !== undefined && record.offset < last) {
      this.note('a key keeps its order', `${place} starts after ${last} in ${process}`);
    }
    if (attempt > 1 && record.offset !== last) {
      this.note('a key keeps its order', `${place} is tried again after another one of its key in ${process}`);
    }
    tenure.started.set(key, record.offset);
  }

  end(record: BrokerRecord, process: string): void {
    this.busyKeys.delete(`${process} ${keyOf(record)}`);
  }

  /** A try failed by the record's own fault. */
  fail({ failures }: Tenure, { offset }: BrokerRecord, askedMs: number): void {
    const { now } = this.options.clock;
    const { count = 0, firstAt = now } = failures.get(offset) ?? {};
    failures.set(offset, { count: count + 1, firstAt, lastAt: now, askedMs });
  }

  /** A running handler was told to end. */
  abort(tenure: Tenure | undefined, record: BrokerRecord, isStopOverdue: boolean): void {
    if (tenure?.isCurrent !== true || isStopOverdue) return;
    this.note('a drain lets handlers end', `${placeOf(record)} is aborted in ${tenure.process}, which owns it`);
  }

  /** A running handler comes to its end, however: has it been told, if its partition was lost? */
  told(tenure: Tenure | undefined, record: BrokerRecord, signal: AbortSignal): void {
    if (tenure === undefined || tenure.isCurrent || signal.aborted) return;
    this.note('a handler hears of the loss', `${placeOf(record)} runs on in ${tenure.process}`);
  }

  /** The record is done with, in this tenure; `how` also counts when the tenure is over. */
  finish(tenure: Tenure | undefined, record: BrokerRecord, how: End): void {
    tenure?.finished.set(record.offset, this.options.clock.step);
    const place = placeOf(record);
    const due = this.dueEnd(record);
    if (how !== due) this.note('every record ends as it should', `${place} ends as ${how}, not ${due}`);
    const ends = this.ends.get(place) ?? new Set();
    if (!this.gone.has(record.value!)) this.ends.set(place, ends.add(how));
    if ((how === 'dead letter' || how === 'deferral') && !this.options.isWritten(how, place)) {
      this.note('what settles a record is written first', `${place} is done without its ${how}`);
    }
  }

  /** A record becomes a dead letter. */
  bury(tenure: Tenure | undefined, record: BrokerRecord): void {
    const place = placeOf(record);
    if (this.dueEnd(record) !== 'dead letter') {
      this.note('every record ends as it should', `${place} becomes a dead letter`);
    }
    if (tenure?.buried.has(record.offset) === true) {
      this.note('an acknowledged dead letter is not sent again', `${place} becomes one again in ${tenure.process}`);
    }
    if (tenure?.isCurrent === true) this.checkGivenUp(tenure, record);
  }

  /** Records that have not come to their end. */
  unfinished(records: readonly BrokerRecord[]): BrokerRecord[] {
    return records.filter((record) => this.ends.get(placeOf(record))?.has(this.dueEnd(record)) !== true);
  }

  /** The log was cut: the record's place is given to another one. */
  forget(record: BrokerRecord): void {
    this.ends.delete(placeOf(record));
    this.gone.add(record.value!);
  }

  private dueEnd(record: BrokerRecord): End {
    return expectedEnd(this.options.planOf(record), this.options.limits.canDefer);
  }

  private checkTry({ failures }: Tenure, record: BrokerRecord, attempt: number): void {
    const { count, firstAt, lastAt } = failures.get(record.offset) ?? { count: 0, firstAt: 0, lastAt: 0 };
    const { maxAgeMs } = this.options.limits;
    const place = placeOf(record);
    if (attempt > this.mostTries(record)) this.note('tries are bounded', `${place} is tried ${attempt} times`);
    if (attempt !== count + 1) this.note('tries are counted', `${place} is tried as the ${attempt}th after ${count}`);
    if (lastAt - firstAt > maxAgeMs) {
      this.note('tries are bounded', `${place} is tried ${lastAt - firstAt} ms after it failed first`);
    }
  }

  /** Neither its tries nor its age are used up: it could have been tried again. */
  private checkGivenUp({ failures }: Tenure, record: BrokerRecord): void {
    const failed = failures.get(record.offset);
    if (failed === undefined || failed.count >= this.mostTries(record)) return;
    if (this.options.planOf(record).behaviour === 'is poison') return;
    const longestWaitMs = failed.askedMs + backoffMs(retryPolicy, failed.count);
    if (failed.lastAt + longestWaitMs - failed.firstAt > this.options.limits.maxAgeMs) return;
    this.note('no record is given up early', `${placeOf(record)} becomes a dead letter after ${failed.count} tries`);
  }

  private mostTries(record: BrokerRecord): number {
    const { behaviour } = this.options.planOf(record);
    return behaviour.includes('bug') ? retryPolicy.maxBugAttempts : retryPolicy.maxAttempts;
  }

  private note(invariant: string, what: string): void {
    this.options.note(invariant, what);
  }
}

/** No record of the simulation is larger. */
const mostBytes = 80;

function bytesOf({ key, value, headers }: BrokerRecord): number {
  const inHeaders = headers.reduce((sum, [name, content]) => sum + name.length + (content?.length ?? 0), 0);
  return (key?.length ?? 0) + (value?.length ?? 0) + inHeaders;
}

/** Order is kept per topic and key. Its partition does not matter: a foreign one may have it, too. */
function keyOf(record: BrokerRecord): string {
  return `${record.topic}/${String(record.key)}`;
}
