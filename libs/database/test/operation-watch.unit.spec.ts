import { describe, expect, it } from '@jest/globals';
import { OperationWatch } from '../src/ledger/operation-watch.js';

const leaseMs = 300;
const run = {
  tenantId: 'acme',
  documentId: 'one',
  revision: 1,
  jobId: 'job',
  analysis: 'summary',
  run: 1,
  isFresh: false,
};
const signal = new AbortController().signal;

/** A holder that says nothing, and a clock that the test sets forward. */
function world() {
  let stoodStillMs = 0;
  const looks: number[] = [];
  const takenOver: number[] = [];
  const now = () => performance.now() + stoodStillMs;
  const held = { state: 'held', token: 1, beat: 7, answer: null };
  const store = {
    read: () => {
      looks.push(now());
      return Promise.resolve(held);
    },
    takeOver: () => {
      takenOver.push(now());
      return Promise.resolve({ kind: 'granted' });
    },
  };
  const options = { store: store as never, leaseMs, now, isHeld: () => false, onFailed: () => undefined };
  const watch = new OperationWatch('key', options, () => undefined);
  return { watch, looks, takenOver, now, standStill: (ms: number) => void (stoodStillMs += ms) };
}

describe('whoever waits for another one’s call', () => {
  it('takes it over when its holder says nothing for a lease', async () => {
    const { watch, takenOver, now } = world();
    const begin = now();
    expect(await watch.wait(run, { token: 1, beat: 7 }, signal)).toEqual({ kind: 'granted' });
    expect(Number(takenOver[0]) - begin).toBeGreaterThanOrEqual(leaseMs - 1);
  });

  it('does not count the time in which it stood still itself', async () => {
    const { watch, looks, takenOver, standStill } = world();
    const found = watch.wait(run, { token: 1, beat: 7 }, signal);
    standStill(10 * leaseMs);
    await found;
    // The first look comes late, and only begins to wait.
    expect(looks.length).toBeGreaterThanOrEqual(2);
    expect(Number(takenOver[0]) - Number(looks[0])).toBeGreaterThanOrEqual(leaseMs - 1);
  });
});
