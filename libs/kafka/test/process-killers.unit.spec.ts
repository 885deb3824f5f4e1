import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { OwnExitNotice } from '../src/consumer/launch.js';
import { MortalGroup, MortalProcess, type Behaviour, type MortalOptions } from './harness/mortal-process.js';

const topic = 'topic';
const zero = { topic, partition: 0 };
const one = { topic, partition: 1 };
const maxExits = 3;

interface Lives {
  readonly ownExits: number;
  readonly last: MortalProcess;
}

interface Fate extends MortalOptions {
  /** After so many milliseconds each life is ended from outside, unless it has ended before. */
  readonly killedAfterMs?: (life: number) => number | undefined;
  readonly maxLives?: number;
}

/** Starts one process after the other, as a launcher does, until all is committed. */
async function liveUntilDone(groups: readonly MortalGroup[], fate: Fate = {}): Promise<Lives> {
  let ownExit: OwnExitNotice | undefined;
  let ownExits = 0;
  const { maxLives = 1_000 } = fate;
  for (let life = 1; life <= maxLives; life++) {
    const process = new MortalProcess(`run${life}`, groups, ownExit, fate);
    await process.start();
    const isKilledAt = fate.killedAfterMs?.(life) ?? Number.POSITIVE_INFINITY;
    while (process.isAlive && process.clock.now() < isKilledAt && !groups.every(({ isDone }) => isDone)) {
      await process.live(50);
    }
    if (groups.every(({ isDone }) => isDone)) return { ownExits, last: process };
    ownExit = process.isAlive ? undefined : { run: process.run, reason: 'SIGABRT', ranMs: process.clock.now() };
    if (ownExit !== undefined) ownExits++;
    process.die();
  }
  throw new Error(`no progress in ${maxLives} lives`);
}

function groupOf(...behaviours: Behaviour[]): MortalGroup {
  const group = new MortalGroup([zero]);
  for (const [offset, behaviour] of behaviours.entries()) group.append(zero, `${offset}`, behaviour);
  return group;
}

/** So many good ones, with others at some offsets. */
function among(count: number, others: Record<number, Behaviour>, good: Behaviour = '10'): Behaviour[] {
  return Array.from({ length: count }, (_, offset) => others[offset] ?? good);
}

describe('a record that ends its process', () => {
  it('is a dead letter after ⌈log2 n⌉ + N exits, has a failure outcome, and all others are handled', async () => {
    const group = groupOf(...among(64, { 37: 'kills' }));
    const { ownExits } = await liveUntilDone([group]);
    expect(group.deadLetters).toEqual(['37']);
    expect(group.settledFailures).toEqual([expect.objectContaining({ code: 'PROCESS_KILLED', attempts: maxExits })]);
    expect(ownExits).toBeLessThanOrEqual(Math.log2(64) + maxExits);
    expect(ownExits).toBeGreaterThanOrEqual(maxExits);
    expect(group.starts.size).toBe(64);
  });

  it('is found when it takes a while to do so, among records that are finished long before', async () => {
    const group = groupOf(...among(40, { 3: 'kills later', 20: 'kills later' }, '20'));
    await liveUntilDone([group]);
    expect(group.deadLetters.sort()).toEqual(['20', '3']);
    expect(group.starts.get('39')).toBe(1);
  });

  it('is a dead letter without a failure outcome when it does so as soon as it is read', async () => {
    const group = groupOf(...among(10, { 4: 'kills when read' }));
    await liveUntilDone([group]);
    expect(group.deadLetters).toEqual(['4']);
    expect(group.settledFailures).toEqual([]);
  });

  it('is found in whichever partition it lies, and the groups of the others are tried before and after it', async () => {
    const group = new MortalGroup([zero, one]);
    for (let record = 0; record < 20; record++) {
      group.append(zero, `zero-${record}`, record === 11 ? 'kills' : '10');
      group.append(one, `one-${record}`, record === 5 ? 'kills' : '10');
    }
    await liveUntilDone([group]);
    expect(group.deadLetters.sort()).toEqual(['one-5', 'zero-11']);
  });

  it('is found in a process that hosts several consumers, and condemns no record of the others', async () => {
    const [first, second] = [groupOf(...among(20, {}, '1000')), groupOf(...among(20, { 7: 'kills later' }, '1000'))];
    await liveUntilDone([first, second]);
    expect(second.deadLetters).toEqual(['7']);
    expect(first.deadLetters).toEqual([]);
  });

  it('waits, with its suspects, for no record that comes later: those are held back, and flow when it is over', async () => {
    const group = groupOf('kills', '10', '10');
    const first = new MortalProcess('run1', [group], undefined);
    await first.start();
    await first.live(50);
    expect(first.isAlive).toBe(false);
    const second = new MortalProcess('run2', [group], { run: 'run1', reason: 'SIGABRT', ranMs: 50 });
    await second.start();
    group.append(zero, 'later', '10');
    await second.live(50);
    expect(group.starts.get('later')).toBeUndefined();
    const { last } = await liveUntilDone([group]);
    expect(group.deadLetters).toEqual(['0']);
    expect(group.starts.get('later')).toBe(1);
    expect(await last.suspects).toBe(0);
  });

  it('takes its suspicion along when its partition moves; meanwhile the others flow', async () => {
    const group = new MortalGroup([zero, one]);
    group.append(zero, 'slow', '400');
    group.append(zero, 'killer', 'kills');
    const process = new MortalProcess('run2', [group], { run: 'run1', reason: 'SIGABRT', ranMs: 50 });
    await process.start();
    group.append(one, 'other', '10');
    await process.live(100);
    expect([...group.starts.keys()]).toEqual(['slow']);
    group.broker.rebalance([one]);
    await process.live(100);
    expect(group.starts.get('other')).toBe(1);
    expect(await process.suspects).toBe(0);
    group.broker.rebalance([zero, one]);
    expect(await process.suspects).toBe(2);
    await process.live(100);
    expect(group.starts.get('killer')).toBeUndefined();
  });

  it('is found with any number of its kind, whatever kills the process from outside meanwhile, and no other is', async () => {
    const behaviour = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom<Behaviour>('0', '10', '120') },
      { weight: 1, arbitrary: fc.constantFrom<Behaviour>('kills', 'kills later', 'kills when read') },
    );
    const kills = fc.array(fc.option(fc.integer({ min: 50, max: 3_000 }), { nil: undefined }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(behaviour, { minLength: 1, maxLength: 30 }), kills, async (behaviours, moments) => {
        const group = groupOf(...behaviours);
        // The last moment is none, or a record that needs longer than a life would never be finished.
        await liveUntilDone([group], { killedAfterMs: (life) => moments[life % (moments.length + 1)] });
        const killers = behaviours.flatMap((each, offset) => (each.startsWith('kills') ? [`${offset}`] : []));
        expect(new Set(group.deadLetters)).toEqual(new Set(killers));
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});

describe('no healthy record is condemned', () => {
  it('by kills from outside every 300 ms', async () => {
    const group = groupOf(...among(100, {}, '100'));
    const fate = { settings: { maxInFlight: 4, commitIntervalMs: 50 }, killedAfterMs: () => 300 };
    const { ownExits } = await liveUntilDone([group], fate);
    expect(ownExits).toBe(0);
    expect(group.deadLetters).toEqual([]);
  });

  it('by a process that ends by itself again and again for a reason of its own', async () => {
    const group = groupOf(...among(6, {}, '4000'));
    await expect(liveUntilDone([group], { diesAfterMs: 3_000, maxLives: 100 })).rejects.toThrow('no progress');
    expect(group.deadLetters).toEqual([]);
  }, 60_000);

  it('by an exit while the suspects of a member that is gone were handed over', async () => {
    const group = groupOf('100', '100');
    group.broker.metadata.set('topic/0', 'ab1:;sBAAABCAA.another');
    const process = new MortalProcess('run2', [group], { run: 'run1', reason: 'SIGABRT', ranMs: 50 });
    await process.start();
    await process.live(2_000);
    expect(group.isDone).toBe(true);
    expect(group.deadLetters).toEqual([]);
  });
});
