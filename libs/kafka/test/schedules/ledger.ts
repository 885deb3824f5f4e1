import type { LogLine } from '@anabranch/test-support';
import type { BrokerRecord } from '../../src/broker-port.js';
import { decodeStretches } from '../../src/consumer/finished-stretches.js';
import type { TakenCommit } from '../harness/commit-log.js';
import { auditOwner, type Breach, type Owner } from '../harness/owner-audit.js';
import { endOf, type End, type Schedule, type ScheduledRecord } from './schedule.js';

/** What was seen of a schedule from outside of the consumers. */
export interface Evidence {
  readonly owners: readonly Owner[];
  readonly commits: readonly TakenCommit[];
  readonly deadLetters: readonly BrokerRecord[];
  /** Of the consumed topic, all of it, each with the record of the schedule that it is. */
  readonly log: readonly { record: BrokerRecord; scheduled: ScheduledRecord }[];
}

interface Ended {
  readonly how: End;
  readonly at: number;
}

/** The commit is stamped when it arrives, and may be readable a moment later. */
const readableAfterMs = 50;

/** Compares what was promised with what was seen. */
export class Ledger {
  readonly breaches: Breach[] = [];
  private readonly scheduledAt = new Map<string, ScheduledRecord>();
  private readonly ends = new Map<string, Ended[]>();

  constructor(
    private readonly schedule: Schedule,
    private readonly evidence: Evidence,
  ) {
    for (const { record, scheduled } of evidence.log) this.scheduledAt.set(placeOf(record), scheduled);
    for (const { lines } of evidence.owners) for (const line of lines) this.noteEnd(line);
    for (const letter of evidence.deadLetters) this.noteLetter(letter);
    this.checkOwners();
    this.checkEnds();
    this.checkCommits();
    this.checkStarts();
  }

  /** How often records were handled again. */
  get repeats(): number {
    return [...this.ends.values()].reduce((sum, ends) => sum + ends.length - 1, 0);
  }

  private noteEnd(line: LogLine): void {
    const how = howEnded(line);
    if (how === undefined) return;
    this.endsOf(placeOf(line as unknown as BrokerRecord)).push({ how, at: Number(line['at']) });
  }

  /** What cannot be decoded ends without a line. */
  private noteLetter(letter: BrokerRecord): void {
    const place = `${header(letter, 'partition')}/${header(letter, 'offset')}`;
    const { record, scheduled } = this.evidence.log.find((entry) => placeOf(entry.record) === place) ?? {};
    if (record === undefined || scheduled === undefined || endOf(scheduled) !== 'dead letter') {
      return this.note('only what cannot be handled becomes a dead letter', place);
    }
    if (!same(record.value, letter.value) || !same(record.key, letter.key)) {
      this.note('a dead letter has the bytes of its record', place);
    }
    if (scheduled.isGarbage) this.endsOf(place).push({ how: 'dead letter', at: letter.timestamp });
  }

  private checkOwners(): void {
    for (const owner of this.evidence.owners) this.breaches.push(...auditOwner(owner, this.schedule.maxInFlight));
  }

  private checkEnds(): void {
    const letters = new Set(
      this.evidence.deadLetters.map((letter) => `${header(letter, 'partition')}/${header(letter, 'offset')}`),
    );
    for (const [place, scheduled] of this.scheduledAt) {
      const expected = endOf(scheduled);
      const ends = this.endsOf(place);
      if (ends.length === 0) this.note('every record finishes', `${place} did not`);
      const wrong = ends.find(({ how }) => how !== expected);
      if (wrong !== undefined) this.note('every record ends as it should', `${place} as ${wrong.how}, not ${expected}`);
      if (expected === 'dead letter' && !letters.has(place))
        this.note('what cannot be handled becomes a dead letter', place);
    }
  }

  private checkCommits(): void {
    const committed = new Map<number, number>();
    for (const { partition, offset, metadata, at } of this.evidence.commits) {
      const before = committed.get(partition) ?? 0;
      if (offset < before) this.note('commits never go back', `${partition} from ${before} to ${offset}`);
      committed.set(partition, offset);
      const unfinished = [...covered({ offset, metadata }, before)].filter(
        (each) => !this.isFinished(`${partition}/${each}`, at),
      );
      if (unfinished.length > 0) {
        this.note('no commit passes an unfinished record', `${partition} at ${offset} covers ${unfinished.join()}`);
      }
    }
    for (const { record } of this.evidence.log) {
      if (record.offset < (committed.get(record.partition) ?? 0)) continue;
      this.note('lag reaches zero', `${placeOf(record)} is not committed`);
    }
  }

  /** An owner begins where the last commit before its assignment says. */
  private checkStarts(): void {
    for (const { name, lines } of this.evidence.owners) {
      let assignedAt = 0;
      const tenures = new Map<unknown, number>();
      for (const line of lines) {
        if (line['msg'] === 'partitions were assigned') assignedAt = Number(line['at']);
        if (line['msg'] !== 'started') continue;
        const since = tenures.get(line['tenure']) ?? assignedAt;
        tenures.set(line['tenure'], since);
        const { partition, offset } = line as unknown as BrokerRecord;
        const last = this.evidence.commits.findLast(
          (commit) => commit.partition === partition && commit.at < since - readableAfterMs,
        );
        if (last === undefined || !covers(last, offset)) continue;
        this.note('what was committed as finished does not come again', `${partition}/${offset} in ${name}`);
      }
    }
  }

  private isFinished(place: string, at: number): boolean {
    // Offsets without a record are markers, of which there are none here: a commit beyond the log would be caught as well.
    return this.endsOf(place).some((end) => end.at <= at);
  }

  private endsOf(place: string): Ended[] {
    const ends = this.ends.get(place) ?? [];
    this.ends.set(place, ends);
    return ends;
  }

  private note(promise: string, what: string): void {
    this.breaches.push({ promise, what });
  }
}

function howEnded(line: LogLine): End | undefined {
  if (line['msg'] === 'finished') return 'handled';
  if (line['msg'] === 'deferred') return 'deferral';
  if (line['msg'] !== 'settled') return undefined;
  return line['code'] === 'NO_CONTENT' ? 'refusal' : 'dead letter';
}

/** The offsets from `from` on that a commit declares to be finished. */
function* covered({ offset, metadata }: Pick<TakenCommit, 'offset' | 'metadata'>, from: number): Iterable<number> {
  for (let each = from; each < offset; each++) yield each;
  for (const { begin, end } of decodeStretches(offset, metadata)) for (let each = begin; each < end; each++) yield each;
}

function covers({ offset: committed, metadata }: TakenCommit, offset: number): boolean {
  return (
    offset < committed || decodeStretches(committed, metadata).some(({ begin, end }) => offset >= begin && offset < end)
  );
}

function placeOf({ partition, offset }: Pick<BrokerRecord, 'partition' | 'offset'>): string {
  return `${partition}/${offset}`;
}

function header(letter: BrokerRecord, name: string): string | undefined {
  return letter.headers.findLast(([header]) => header === `__connect.errors.${name}`)?.[1]?.toString();
}

function same(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
