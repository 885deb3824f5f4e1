import type { BrokerRecord } from '../../../src/broker-port.js';
import { placeOf, type Note } from './note.js';
import type { Tenure } from './tenure.js';

export interface TryAccountOptions {
  readonly process: string;
  readonly clock: { readonly now: number; readonly step: number };
  readonly maxInFlight: number;
  readonly topicLimit: number;
  /** No probe comes earlier after a failure. */
  readonly leastProbeWaitMs: number;
  readonly note: Note;
}

/** One try of a record: its handler and what settles it, one after the other. */
interface Try {
  readonly record: BrokerRecord;
  readonly tenure: Tenure;
  /** The step in which its handler, or what settled it, ended; what goes on in that step is the same try. */
  endedAt: number | undefined;
  isParked: boolean;
}

/** While a dependency that all share is known to be down. */
interface Outage {
  /** Only in this step something else may start: it did not know yet. */
  readonly noticedAt: number;
  lastFailureAt: number;
  readonly waiting: Map<string, Try>;
  probe: Try | undefined;
}

/**
 * What runs in one process: no more than may, and while a dependency is down one record at a time, of those that met the
 * outage. What ran before may end, and what was parked come back.
 */
export class TryAccount {
  private readonly tries = new Map<string, Try>();
  private outage: Outage | undefined;
  /** Records that met an outage in the step in which the probe of another one ended well, and when. */
  private readonly unclear = new Map<string, number>();
  private changedAt = 0;

  constructor(private readonly options: TryAccountOptions) {}

  /** Whether nothing runs. */
  get isIdle(): boolean {
    return [...this.tries.values()].every(({ endedAt }) => endedAt !== undefined);
  }

  /** Whether nothing has run since then. */
  hasRestedSince(time: number): boolean {
    return this.isIdle && this.changedAt <= time;
  }

  /** A handler begins, or the sending of what settles a record. */
  begin(tenure: Tenure, record: BrokerRecord): void {
    const name = nameOf(tenure, record);
    const { step, now } = this.options.clock;
    this.changedAt = now;
    const known = this.tries.get(name);
    const goesOn = known !== undefined && (known.endedAt === undefined || known.endedAt === step);
    const current = goesOn ? known : { record, tenure, endedAt: undefined, isParked: false };
    current.endedAt = undefined;
    this.tries.set(name, current);
    this.checkSlots(record);
    // Also when it has just failed, and gave the slot back that a probe was waiting for: then it is the probe.
    if (!goesOn || this.outage?.waiting.has(name) === true) this.passGate(name, current);
  }

  /** It ends; `isOutage` when a shared dependency was down, and the record is to be tried again for that. */
  end(tenure: Tenure, record: BrokerRecord, isOutage: boolean): void {
    const name = nameOf(tenure, record);
    const ended = this.tries.get(name);
    if (ended === undefined) throw new Error(`${name} ends without having begun`);
    const { step, now } = this.options.clock;
    this.changedAt = now;
    const isProbe = this.outage?.probe === ended;
    // Which of two that end in one step came first nobody outside knows.
    const isUnclear = !isProbe && this.outage?.probe?.endedAt === step;
    if (!isProbe) this.noteProbeEnd();
    ended.endedAt = step;
    if (!isOutage || !tenure.isCurrent) return;
    if (isUnclear) return void this.unclear.set(name, now);
    this.outage ??= { noticedAt: step, lastFailureAt: now, waiting: new Map(), probe: undefined };
    this.outage.waiting.set(name, ended);
    if (!isProbe) return;
    this.outage.probe = undefined;
    this.outage.lastFailureAt = now;
  }

  /** It lends its slot. */
  park(tenure: Tenure, record: BrokerRecord): void {
    this.setParked(tenure, record, true);
  }

  /** It has a slot again. */
  comeBack(tenure: Tenure, record: BrokerRecord): void {
    this.setParked(tenure, record, false);
    this.checkSlots(record);
  }

  private setParked(tenure: Tenure, record: BrokerRecord, isParked: boolean): void {
    const found = this.tries.get(nameOf(tenure, record));
    if (found !== undefined) found.isParked = isParked;
  }

  private checkSlots({ topic }: BrokerRecord): void {
    const { process, maxInFlight, topicLimit, note } = this.options;
    const running = [...this.tries.values()].filter(({ endedAt, isParked }) => endedAt === undefined && !isParked);
    const ofTopic = running.filter(({ record }) => record.topic === topic).length;
    if (running.length > maxInFlight) note('in-flight is bounded', `${process} runs ${running.length} records`);
    if (ofTopic > topicLimit) note('in-flight is bounded', `${process} runs ${ofTopic} records of ${topic}`);
  }

  private passGate(name: string, started: Try): void {
    this.noteProbeEnd();
    const { outage } = this;
    const { clock, process, leastProbeWaitMs, note } = this.options;
    const unclearSince = this.unclear.get(name);
    this.unclear.delete(name);
    if (outage === undefined || outage.noticedAt === clock.step) return;
    const what = `${placeOf(started.record)} starts in ${process}`;
    if (outage.probe !== undefined) {
      note('an outage lets one probe through', `${what} besides ${placeOf(outage.probe.record)}`);
    } else if (outage.waiting.delete(name) || unclearSince !== undefined) {
      outage.probe = started;
      const failedAt = unclearSince ?? outage.lastFailureAt;
      if (clock.now - failedAt < leastProbeWaitMs) note('a probe takes its time', what);
    } else if ([...outage.waiting.values()].some(({ tenure }) => tenure.isCurrent)) {
      note('an outage lets one probe through', `${what}, although others wait for the dependency`);
    } else {
      // Nobody is left that could be the probe, so that nothing says that the dependency is still down.
      this.outage = undefined;
    }
  }

  /** A probe that ended otherwise than by the outage has shown that the dependency is back. */
  private noteProbeEnd(): void {
    if (this.outage?.probe?.endedAt !== undefined) this.outage = undefined;
  }
}

/** A record that comes again in another ownership is another one. */
function nameOf(tenure: Tenure, record: BrokerRecord): string {
  return `${tenure.id} ${placeOf(record)}`;
}
