import { describe, expect, it } from '@jest/globals';
import { OperationWatch } from '../src/ledger/operation-watch.js';

const leaseMs = 3_000;
const run = { tenantId: 'acme', documentId: 'one', revision: 1, jobId: 'job', analysis: 'summary', run: 1 };

interface StandStills {
  /** Milliseconds by which the first sleep, or the first read, is longer than it should be. */
  sleep?: number;
  read?: number;
}

/** When a holder that says nothing is taken over from, and how often it was looked at before; the clock moves by itself. */
async function takenOver({ sleep: oversleepMs = 0, read: slowReadMs = 0 }: StandStills = {}) {
  let clock = 0;
  const waits = [oversleepMs];
  const slow = [slowReadMs];
  let looks = 0;
  let takenOverAt = Number.NaN;
  const held = { state: 'held', token: 1, beat: 7, answer: null };
  const store = {
    read: () => {
      looks += 1;
      clock += slow.shift() ?? 0;
      return Promise.resolve(held);
    },
    takeOver: () => {
      takenOverAt = clock;
      return Promise.resolve({ kind: 'granted' });
    },
  };
  const sleep = (ms: number): Promise<void> => {
    clock += ms + (waits.shift() ?? 0);
    return Promise.resolve();
  };
  const options = { store: store as never, leaseMs, now: () => clock, sleep, isHeld: () => false };
  const watch = new OperationWatch('key', { ...options, onFailed: () => undefined }, () => undefined);
  const found = watch.wait({ ...run, isFresh: false }, { token: 1, beat: 7 }, new AbortController().signal);
  expect(await found).toEqual({ kind: 'granted' });
  return { takenOverAt, looks };
}

describe('whoever waits for another one’s call', () => {
  it('takes it over when its holder says nothing for a lease', async () => {
    expect(await takenOver()).toEqual({ takenOverAt: leaseMs, looks: 1 });
  });

  it.each([
    ['before it looked', { sleep: 60_000 }],
    ['while it looked', { read: 60_000 }],
  ])('waits for a lease anew when it stood still itself %s', async (_, standStill) => {
    const { takenOverAt, looks } = await takenOver(standStill);
    expect(looks).toBe(2);
    expect(takenOverAt).toBeGreaterThanOrEqual(60_000 + 2 * leaseMs);
  });
});
