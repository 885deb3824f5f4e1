import type { RecordHeader } from '../../../src/broker-port.js';

/** What owners finished above their committed offset, and said so with the commit. */
export interface Conveyed {
  readonly certain: ReadonlySet<number>;
  /** What finishes in the moment of the commit may be in it, or not yet. */
  readonly possible: ReadonlySet<number>;
}

export const nothingConveyed: Conveyed = { certain: new Set(), possible: new Set() };

/** How a record has failed so far, by its own fault. */
export interface Failures {
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The least wait that the last one asked for. */
  readonly askedMs: number;
}

let tenures = 1_000_000;

/** One process's ownership of one partition, as its client knows it: from an assignment to the loss. */
export class Tenure {
  readonly id = String(++tenures);
  /** On each record that it delivers. */
  readonly header: RecordHeader = ['tenure', Buffer.from(this.id)];
  isCurrent = true;
  /** Where it goes on; unknown until the broker has said so. What lies below is somebody else's. */
  begin: number | undefined;
  /** Offsets, each with the bytes of its record. */
  readonly delivered = new Map<number, number>();
  /** Finished offsets, each with the step of the timeline at which it was. */
  readonly finished = new Map<number, number>();
  /** Per key, the last record that was started. */
  readonly started = new Map<string, number>();
  readonly failures = new Map<number, Failures>();
  /** Offsets whose dead letter is acknowledged. */
  readonly buried = new Set<number>();
  /** What its last commit that was sent says. */
  sent: { readonly offset: number; readonly conveyed: Conveyed } | undefined;
  /** The highest offset of it that the broker took. */
  accepted = 0;
  private inherited = nothingConveyed;
  private highest = -1;

  constructor(
    readonly process: string,
    readonly lane: string,
  ) {}

  /** What the broker says when it is asked again changes nothing. */
  beginAt(offset: number, inherited: Conveyed): void {
    if (this.begin !== undefined) return;
    this.begin = offset;
    this.inherited = inherited;
  }

  /** What is fetched again, or lies below because a stranger's commit went further, is not taken. */
  receive(offset: number, bytes: number): void {
    if (offset <= this.highest) return;
    this.highest = offset;
    this.delivered.set(offset, bytes);
  }

  /** What a commit with metadata says at this step. */
  conveyedAt(step: number): Conveyed {
    const settled = [...this.finished].filter(([, at]) => at < step).map(([offset]) => offset);
    return {
      certain: new Set([...this.inherited.certain, ...settled]),
      possible: new Set([...this.inherited.possible, ...this.finished.keys()]),
    };
  }

  /** Whether there is nothing to do for it any more. */
  isDone(offset: number): boolean {
    return this.isBefore(offset) || this.finished.has(offset) || this.inherited.certain.has(offset);
  }

  /** Whether a commit may pass it. */
  mayPass(offset: number): boolean {
    return this.isBefore(offset) || this.finished.has(offset) || this.inherited.possible.has(offset);
  }

  private isBefore(offset: number): boolean {
    return this.begin !== undefined && offset < this.begin;
  }
}
