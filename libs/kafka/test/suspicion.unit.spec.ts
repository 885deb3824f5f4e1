import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Stretch } from '../src/consumer/finished-stretches.js';
import { OpenOffsets } from '../src/consumer/open-offsets.js';
import {
  afterGroup,
  afterOwnExit,
  afterRest,
  burialOf,
  suspect,
  triedBy,
  untried,
  withinLog,
  type Suspicion,
} from '../src/consumer/suspicion.js';

const maxExits = 3;
const certain = { maxExits, ranMs: 1_000, isCertain: true };

/** Records 0 to n - 1 of a partition, and processes that come and go; what is committed survives them. */
class Partition {
  readonly finished = new Set<number>();
  readonly buried = new Set<number>();
  private committed = new Set<number>();
  suspicion: Suspicion | undefined;
  ownExits = 0;

  constructor(
    readonly n: number,
    readonly killers: ReadonlySet<number>,
  ) {}

  get open(): OpenOffsets {
    return openOf(this.n, this.committed);
  }

  get isDone(): boolean {
    return this.committed.size === this.n;
  }

  commit(): void {
    this.committed = new Set(this.finished);
  }

  /** The process is gone, and with it what it did not commit. */
  end(): void {
    this.finished.clear();
    for (const offset of this.committed) this.finished.add(offset);
  }

  /** Works on the records below `until` in that order, and for so long; true when the process ended by itself. */
  work(until: number, order: (offset: number) => number, lastsFor: number): boolean {
    const left = Array.from({ length: Math.min(until, this.n) }, (_, offset) => offset)
      .filter((offset) => !this.finished.has(offset))
      .sort((a, b) => order(a) - order(b));
    for (const offset of left.slice(0, lastsFor)) {
      if (burialOf(this.suspicion, offset) !== undefined) this.buried.add(offset);
      else if (this.killers.has(offset)) return true;
      this.finished.add(offset);
    }
    return false;
  }
}

function openOf(n: number, finished: ReadonlySet<number>): OpenOffsets {
  const offsets = Array.from({ length: n }, (_, offset) => offset);
  const watermark = offsets.find((offset) => !finished.has(offset)) ?? n;
  const stretches: Stretch[] = offsets
    .filter((offset) => offset > watermark && finished.has(offset))
    .map((offset) => ({ begin: offset, end: offset + 1 }));
  return new OpenOffsets(watermark, stretches);
}

/** What a run of the process can meet with: its own choices, and a kill from outside. */
interface Run {
  readonly order: readonly number[];
  readonly commitsBeforeExit: boolean;
  /** How many records it gets done before it is killed from outside. */
  readonly killedAfter: number | undefined;
}

const runs = fc.infiniteStream(
  fc.record({
    order: fc.array(fc.nat(1_000), { minLength: 64, maxLength: 64 }),
    commitsBeforeExit: fc.boolean(),
    killedAfter: fc.option(fc.nat(6), { nil: undefined, freq: 3 }),
  }),
);

/** One life of the process, until it has tried one group or has ended; true when it ended by its own fault. */
function live(partition: Partition, { order, commitsBeforeExit, killedAfter }: Run): boolean {
  const { suspicion, n } = partition;
  const lastsFor = killedAfter ?? n;
  if (suspicion?.stage === 'rest') {
    // Nothing of it shows in the records; killed from outside in the middle of it, it begins again.
    if (killedAfter === undefined) partition.suspicion = afterRest(suspicion);
    return false;
  }
  const until = suspicion?.groupEnd ?? n;
  const isOwnExit = partition.work(until, (offset) => order[offset % order.length]!, lastsFor);
  if (commitsBeforeExit) partition.commit();
  if (!isOwnExit && killedAfter === undefined) {
    partition.commit();
    if (suspicion !== undefined) partition.suspicion = afterGroup(suspicion, partition.open);
  }
  partition.end();
  return isOwnExit;
}

/** What the next run makes of it. */
function judge(partition: Partition): void {
  const { suspicion, open, n } = partition;
  partition.ownExits++;
  partition.suspicion = suspicion === undefined ? suspect(open, n, 4_000) : afterOwnExit(suspicion, open, certain);
}

const partitions = fc
  .integer({ min: 1, max: 60 })
  .chain((n) => fc.record({ n: fc.constant(n), killers: fc.uniqueArray(fc.nat(n - 1), { maxLength: 4 }) }));

function play({ n, killers }: { n: number; killers: number[] }, stream: Iterator<Run>, withKills: boolean): Partition {
  const partition = new Partition(n, new Set(killers));
  for (let lives = 0; !partition.isDone; lives++) {
    if (lives > 5_000) throw new Error('no progress');
    const run = stream.next().value as Run;
    if (live(partition, withKills ? run : { ...run, killedAfter: undefined })) judge(partition);
  }
  return partition;
}

describe('the groups of suspects', () => {
  it('find exactly the records that end their process, in ⌈log2 n⌉ + N exits for each of them', () => {
    fc.assert(
      fc.property(partitions, runs, (given, stream) => {
        const partition = play(given, stream, false);
        expect(partition.buried).toEqual(new Set(given.killers));
        const perCulprit = Math.max(1, Math.ceil(Math.log2(given.n))) + maxExits;
        expect(partition.ownExits).toBeLessThanOrEqual(given.killers.length * perCulprit);
      }),
      { numRuns: 150 },
    );
  });

  it('find the same ones, and condemn no other, while the process is killed from outside again and again', () => {
    fc.assert(
      fc.property(partitions, runs, (given, stream) => {
        expect(play(given, stream, true).buried).toEqual(new Set(given.killers));
      }),
      { numRuns: 150 },
    );
  });

  it('are no more than what may be suspected at once: the others have their turn when the process ends again', () => {
    expect(suspect(openOf(100, new Set()), 100, 10)).toMatchObject({ end: 10, halvedEnd: 10, groupEnd: 5 });
    expect(suspect(openOf(100, new Set([1, 2, 3])), 100, 10)).toMatchObject({ end: 13 });
    expect(suspect(openOf(4, new Set([0, 1, 2, 3])), 4, 10)).toBeUndefined();
  });

  it('go on with the second half when the first is finished, then with all others at once', () => {
    const open = openOf(16, new Set());
    const quarter = afterOwnExit(suspect(open, 16, 100)!, open, certain)!;
    expect(quarter).toMatchObject({ end: 16, halvedEnd: 8, groupEnd: 4 });
    const second = afterGroup(quarter, openOf(16, new Set([0, 1, 2, 3])))!;
    expect(second).toMatchObject({ end: 16, halvedEnd: 8, groupEnd: 8 });
    const others = afterGroup(second, openOf(16, new Set([0, 1, 2, 3, 4, 5, 6, 7])))!;
    expect(others).toMatchObject({ end: 16, halvedEnd: 16, groupEnd: 16 });
    expect(afterGroup(others, openOf(16, new Set(Array.from({ length: 16 }, (_, offset) => offset))))).toBeUndefined();
  });
});

describe('a record that is alone', () => {
  const open = openOf(1, new Set());
  const alone = suspect(open, 1, 10)!;
  const exit = (suspicion: Suspicion | undefined, how = certain) => afterOwnExit(suspicion!, open, how);

  it('is buried after N exits and a rest that the process outlives', () => {
    const resting = exit(exit(exit(alone)));
    expect(resting).toMatchObject({ exits: 3, stage: 'rest', restMs: 1_000 });
    expect(burialOf(resting, 0)).toBeUndefined();
    const condemned = afterRest(resting!);
    expect(burialOf(condemned, 0)).toBe('bury');
    expect(burialOf(condemned, 1)).toBeUndefined();
  });

  it('is acquitted, with all others, when the process ends in that rest, too', () => {
    expect(exit(exit(exit(exit(alone))))).toBeUndefined();
  });

  it('is buried without being read when even that ends the process', () => {
    const condemned = afterRest(exit(exit(exit(alone)))!);
    expect(burialOf(exit(condemned), 0)).toBe('bury-unread');
  });

  it('bears no exit that something else can have caused', () => {
    const uncertain = { ...certain, isCertain: false };
    expect(exit(exit(exit(exit(alone, uncertain), uncertain), uncertain), uncertain)).toMatchObject({ exits: 0 });
  });

  it('is cleared when it was finished before the process ended', () => {
    expect(afterOwnExit(alone, openOf(1, new Set([0])), certain)).toBeUndefined();
  });

  it('is tried by one run at a time', () => {
    expect(untried(triedBy(alone, 'run'))).toEqual(alone);
    expect(exit(triedBy(alone, 'run'))?.triedBy).toBeUndefined();
  });
});

describe('the suspects in a log that was cut', () => {
  const given: Suspicion = { ...suspect(openOf(16, new Set()), 16, 100)!, triedBy: 'run' };
  const within = (logEnd: number, finished: readonly number[] = [], suspicion = given) =>
    withinLog(suspicion, openOf(logEnd, new Set(finished)), logEnd);

  it('are the same ones when it ends behind them', () => {
    expect(given).toMatchObject({ end: 16, halvedEnd: 16, groupEnd: 8 });
    expect(within(16)).toBe(given);
    expect(within(1_000)).toBe(given);
  });

  it('are those that are still there, and the group that is tried stays the same', () => {
    expect(within(12)).toEqual({ ...given, end: 12, halvedEnd: 12 });
    expect(within(5)).toEqual({ ...given, end: 5, halvedEnd: 5, groupEnd: 5 });
  });

  it('keep what is known of a record that is alone', () => {
    const alone: Suspicion = { ...given, halvedEnd: 2, groupEnd: 1, isAlone: true, exits: 2 };
    expect(within(4, [], alone)).toEqual({ ...alone, end: 4 });
  });

  it('are the next group when of the one that was tried nothing is left to do', () => {
    const second: Suspicion = { ...given, groupEnd: 8, halvedEnd: 8 };
    expect(within(12, [0, 1, 2, 3, 4, 5, 6, 7], second)).toMatchObject({
      end: 12,
      halvedEnd: 12,
      groupEnd: 12,
      exits: 0,
    });
  });

  it('are none when nothing is left to do below its end: a trial does not wait for what nobody can finish', () => {
    expect(within(0)).toBeUndefined();
    expect(within(3, [0, 1, 2])).toBeUndefined();
  });

  it('never name what the log does not have, and never pass over what it has', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(45), fc.array(fc.nat(39)), (n, logEnd, finished) => {
        const before = suspect(openOf(n, new Set()), n, 100)!;
        const open = openOf(Math.min(n, logEnd), new Set(finished));
        const after = withinLog(before, open, logEnd);
        const left = open.countBelow(Math.min(n, logEnd));
        expect(after === undefined).toBe(n > logEnd && left === 0);
        if (after === undefined) return;
        expect(after.end).toBe(Math.min(n, logEnd));
        expect(after.groupEnd).toBeLessThanOrEqual(after.halvedEnd);
        expect(after.halvedEnd).toBeLessThanOrEqual(after.end);
        if (n > logEnd) expect(open.countBelow(after.groupEnd)).toBeGreaterThan(0);
      }),
    );
  });
});
