import { describe, expect, it } from '@jest/globals';
import { longestBlockMs } from '../src/testing/event-loop.js';
import { inSlices } from '../src/turns.js';

const never = new AbortController().signal;

/** Steps that take about a millisecond each. */
function* busySteps(count: number): Generator<void, number> {
  for (let step = 0; step < count; step += 1) {
    const end = performance.now() + 1;
    while (performance.now() < end);
    yield;
  }
  return count;
}

describe('inSlices', () => {
  it('returns what the steps return', async () => {
    expect(await inSlices(busySteps(0), never)).toBe(0);
    expect(await inSlices(busySteps(3), never)).toBe(3);
  });

  it('lets the event loop turn between the slices of many documents at once', async () => {
    const work = () => Promise.all(Array.from({ length: 20 }, () => inSlices(busySteps(15), never)));
    const blocks: number[] = [];
    for (let run = 0; run < 3; run += 1) blocks.push(await longestBlockMs(work));
    expect(Math.min(...blocks)).toBeLessThan(50);
  });

  it('gives every document a turn while a long one runs', async () => {
    const order: string[] = [];
    const long = inSlices(busySteps(200), never).then(() => order.push('long'));
    const short = inSlices(busySteps(1), never).then(() => order.push('short'));
    await Promise.all([long, short]);
    expect(order).toEqual(['short', 'long']);
  });

  it('lets short documents share a turn of the event loop', async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const documents = 1_000;
    await Promise.all(Array.from({ length: documents }, () => inSlices(busySteps(0), never)));
    isDone = true;
    expect(turns).toBeLessThan(documents / 4);
  });

  it('passes on what a step throws', async () => {
    function* broken(): Generator<void, never> {
      yield;
      throw new Error('broken');
    }
    await expect(inSlices(broken(), never)).rejects.toThrow('broken');
  });

  it('stops at the next turn when it is aborted, with the signal’s reason', async () => {
    const abort = new AbortController();
    let steps = 0;
    function* endless(): Generator<void, void> {
      while (steps < 5_000_000) {
        steps += 1;
        if (steps === 100) abort.abort(new Error('enough'));
        yield;
      }
    }
    await expect(inSlices(endless(), abort.signal)).rejects.toThrow('enough');
    const after = steps;
    await new Promise((resolve) => setImmediate(resolve));
    expect(steps).toBe(after);
  });
});
