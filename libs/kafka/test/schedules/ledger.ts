import type { LogLine } from '@anabranch/test-support';
import type { BrokerRecord } from '../../src/broker-port.js';
import { decodeStretches } from '../../src/consumer/finished-stretches.js';
import type { TakenCommit } from '../harness/commit-log.js';
import { auditOwner, type Breach, type Owner } from '../harness/owner-audit.js';
import { endOf, type End, type Schedule, type ScheduledRecord } from './schedule.js';
import { Tenures, type Tenure } from './tenures.js';

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
  /** The process; unknown of what cannot be decoded. */
  readonly owner?: string;
}

/** The commit is stamped when it arrives, and may be readable a moment later. */
const readableAfterMs = 50;

/** Compares what was promised with what was seen. */
export class Ledger {
  readonly breaches: Breach[] = [];
  private readonly logged = new Map<string, Evidence['log'][number]>();
  private readonly commitsOf = new Map<number, TakenCommit[]>();
  private readonly ends = new Map<string, Ended[]>();
  private readonly tenures: Tenures;

  constructor(
    private readonly schedule: Schedule,
    private readonly evidence: Evidence,
  ) {
    this.tenures = new Tenures(evidence.owners);
    for (const entry of evidence.log) this.logged.set(placeOf(entry.record), entry);
    for (const commit of evidence.commits) {
      const commits = this.commitsOf.get(commit.partition) ?? [];
      this.commitsOf.set(commit.partition, commits);
      commits.push(commit);
    }
    for (const { name, lines } of evidence.owners) for (const line of lines) this.noteEnd(name, line);
    for (const letter of evidence.deadLetters) this.noteLetter(letter);
    this.checkLog();
    this.checkOwners();
    this.checkEnds();
    this.checkCommits();
    this.checkStarts();
  }

  /** How often records were handled again. */
  get repeats(): number {
    return [...this.ends.values()].reduce((sum, ends) => sum + ends.length - 1, 0);
  }

  private noteEnd(owner: string, line: LogLine): void {
    const how = howEnded(line);
    if (how === undefined) return;
    this.endsOf(placeOf(line as unknown as BrokerRecord)).push({ how, at: Number(line['at']), owner });
  }

  /** What cannot be decoded ends without a line. */
  private noteLetter(letter: BrokerRecord): void {
    const place = `${header(letter, 'partition')}/${header(letter, 'offset')}`;
    const { record, scheduled } = this.logged.get(place) ?? {};
    if (record === undefined || scheduled === undefined || endOf(scheduled) !== 'dead letter') {
      return this.note('only what cannot be handled becomes a dead letter', place);
    }
    if (!same(record.value, letter.value) || !same(record.key, letter.key)) {
      this.note('a dead letter has the bytes of its record', place);
    }
    if (scheduled.isGarbage) this.endsOf(place).push({ how: 'dead letter', at: letter.timestamp });
  }

  /** All of it was read, and all that was acknowledged to the producer, which is every record, is in it. */
  private checkLog(): void {
    const written = new Set(this.evidence.log.map(({ scheduled }) => scheduled));
    const missing = this.schedule.records.flatMap((record, index) => (written.has(record) ? [] : [index]));
    if (missing.length > 0) this.note('what was acknowledged is in the log', `not so ${missing.join()}`);
    for (const { partition, offset } of this.evidence.log.map(({ record }) => record)) {
      if (offset === 0 || this.logged.has(placeOf({ partition, offset: offset - 1 }))) continue;
      this.note('the log was read whole', `not so before ${partition}/${offset}`);
    }
  }

  private checkOwners(): void {
    for (const owner of this.evidence.owners) this.breaches.push(...auditOwner(owner, this.schedule.maxInFlight));
    this.breaches.push(...this.tenures.breaches);
  }

  private checkEnds(): void {
    const letters = new Set(
      this.evidence.deadLetters.map((letter) => `${header(letter, 'partition')}/${header(letter, 'offset')}`),
    );
    for (const [place, { scheduled }] of this.logged) {
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
    for (const [partition, commits] of this.commitsOf) {
      let before: TakenCommit | undefined;
      for (const commit of commits) {
        this.checkCommit(commit, before);
        before = commit;
      }
      for (let offset = before?.offset ?? 0; this.logged.has(placeOf({ partition, offset })); offset++) {
        this.note('lag reaches zero', `${partition}/${offset} is not committed`);
      }
    }
    for (const partition of new Set(this.evidence.log.map(({ record }) => record.partition))) {
      if (!this.commitsOf.has(partition)) this.note('lag reaches zero', `${partition} was never committed`);
    }
  }

  private checkCommit(commit: TakenCommit, before: TakenCommit | undefined): void {
    const { partition, offset, at } = commit;
    const from = before?.offset ?? 0;
    if (offset < from) this.note('commits never go back', `${partition} from ${from} to ${offset}`);
    const unfinished = [...covered(commit, from)].filter((each) => !this.isFinished(`${partition}/${each}`, at));
    if (unfinished.length > 0) {
      this.note('no commit passes an unfinished record', `${partition} at ${offset} covers ${unfinished.join()}`);
    }
    const added = [...covered(commit, from)].filter((each) => before === undefined || !covers(before, each));
    const tenure = this.tenures.at(partition, at);
    const borrowed = added.filter((each) => !this.isFinishedIn(tenure, `${partition}/${each}`, at));
    if (borrowed.length > 0) {
      this.note(
        'an owner commits only what it finished itself',
        `${partition} at ${offset}, owned by ${tenure?.owner ?? 'nobody'}, covers ${borrowed.join()}`,
      );
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
        const last = this.commitsOf.get(partition)?.findLast(({ at }) => at < since - readableAfterMs);
        if (last === undefined || !covers(last, offset)) continue;
        this.note('what was committed as finished does not come again', `${partition}/${offset} in ${name}`);
      }
    }
  }

  private isFinished(place: string, at: number): boolean {
    // Offsets without a record are markers, of which there are none here: a commit beyond the log would be caught as well.
    return this.endsOf(place).some((end) => end.at <= at);
  }

  /** What an earlier owner did after it had lost the partition does not count. */
  private isFinishedIn(tenure: Tenure | undefined, place: string, at: number): boolean {
    return this.endsOf(place).some(
      (end) =>
        end.at <= at && (end.owner === undefined || (end.owner === tenure?.owner && end.at >= (tenure?.from ?? 0))),
    );
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
