import { describe, expect, it } from '@jest/globals';
import type { ReleasedRuns, RunAddress } from '@anabranch/database/jobs';
import { Releases } from '../src/releases.js';

/** Runs that wait, by dependency; released ones stand in `underWay` until the test says what became of them. */
class Waiting {
  clock = 0;
  readonly due = new Map<string, number>();
  readonly released: [string, number][] = [];
  verdict: ReleasedRuns = { deferredAgain: 0, pending: 0 };
  readonly releases = new Releases({
    due: () => Promise.resolve(new Map([...this.due].filter(([, count]) => count > 0))),
    release: (dependency, limit) => {
      const count = Math.min(limit, this.due.get(dependency) ?? 0);
      this.due.set(dependency, (this.due.get(dependency) ?? 0) - count);
      this.released.push([dependency, count]);
      const run: RunAddress = { jobId: 'job', analysis: 'summary', run: 1 };
      return Promise.resolve(Array.from({ length: count }, () => run));
    },
    follow: () => Promise.resolve(this.verdict),
    now: () => this.clock,
  });

  async look(times = 1): Promise<number[]> {
    for (let time = 0; time < times; time += 1) await this.releases.check();
    return this.released.splice(0).map(([, count]) => count);
  }
}

describe('deferred runs', () => {
  it('begin with one probe, and double while all goes well', async () => {
    const waiting = new Waiting();
    waiting.due.set('acme/model', 50_000);
    expect(await waiting.look(6)).toEqual([1, 2, 4, 8, 16, 32]);
    expect((await waiting.look(8)).at(-1)).toBe(1_000);
  });

  it('wait for what becomes of the probe', async () => {
    const waiting = new Waiting();
    waiting.due.set('acme/model', 100);
    expect(await waiting.look()).toEqual([1]);
    waiting.verdict = { deferredAgain: 0, pending: 1 };
    expect(await waiting.look(3)).toEqual([]);
    waiting.verdict = { deferredAgain: 0, pending: 0 };
    expect(await waiting.look()).toEqual([2]);
  });

  it('begin anew with one when one of them had to wait again', async () => {
    const waiting = new Waiting();
    waiting.due.set('acme/model', 100);
    expect(await waiting.look(4)).toEqual([1, 2, 4, 8]);
    waiting.verdict = { deferredAgain: 1, pending: 7 };
    expect(await waiting.look()).toEqual([1]);
  });

  it('are not held up for ever by one of which nothing is heard', async () => {
    const waiting = new Waiting();
    waiting.due.set('acme/model', 100);
    await waiting.look();
    waiting.verdict = { deferredAgain: 0, pending: 1 };
    waiting.clock = 119_999;
    expect(await waiting.look()).toEqual([]);
    waiting.clock = 120_000;
    expect(await waiting.look()).toEqual([2]);
  });

  it('of one dependency go at a pace of their own', async () => {
    const waiting = new Waiting();
    waiting.due.set('down/model', 100).set('well/model', 100);
    await waiting.releases.check();
    expect(waiting.released).toEqual([
      ['down/model', 1],
      ['well/model', 1],
    ]);
  });
});
