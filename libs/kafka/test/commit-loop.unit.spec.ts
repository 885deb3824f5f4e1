import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CommitPosition } from '../src/broker-port.js';
import { CommitLoop, type CommitLoopOptions } from '../src/consumer/commit-loop.js';
import { PartitionEpoch } from '../src/consumer/partition-epoch.js';
import { settled, VirtualClock } from '../src/testing/index.js';

interface PendingCommit {
  readonly positions: readonly CommitPosition[];
  readonly answer: PromiseWithResolvers<void>;
}

describe('the commit loop', () => {
  const limits = { maxRecords: 100, maxBytes: 100 };
  let clock: VirtualClock;
  let epoch: PartitionEpoch;
  let epochs: PartitionEpoch[];
  let commits: PendingCommit[];
  let failures: unknown[];
  let options: CommitLoopOptions;
  let loop: CommitLoop;

  beforeEach(() => {
    clock = new VirtualClock();
    epoch = new PartitionEpoch({ topic: 'topic', partition: 0 }, limits);
    epochs = [epoch];
    commits = [];
    failures = [];
    options = {
      epochs: { [Symbol.iterator]: () => epochs.values() },
      commit: (positions) => {
        const answer = Promise.withResolvers<void>();
        commits.push({ positions, answer });
        return answer.promise;
      },
      onFailed: (error) => failures.push(error),
      intervalMs: 250,
      clock,
    };
    loop = new CommitLoop(options);
  });

  const finishUpTo = (offset: number) => {
    epoch.window.passOver(offset - 1);
  };
  const offsets = () => commits.map(({ positions }) => positions.map(({ offset }) => offset));

  it('commits on its interval, and nothing when nothing is new', async () => {
    loop.start();
    finishUpTo(3);
    await clock.advance(250);
    commits[0]?.answer.resolve();
    await clock.advance(1_000);
    expect(offsets()).toEqual([[3]]);
    finishUpTo(5);
    await clock.advance(250);
    expect(offsets()).toEqual([[3], [5]]);
  });

  it('sends one at a time, so that an older one never arrives after a newer one', async () => {
    finishUpTo(3);
    void loop.flush();
    finishUpTo(5);
    void loop.flush();
    void loop.flush();
    await settled();
    expect(offsets()).toEqual([[3]]);
    commits[0]?.answer.resolve();
    await settled();
    expect(offsets()).toEqual([[3], [5]]);
    commits[1]?.answer.resolve();
    await settled();
    expect(offsets()).toEqual([[3], [5]]);
  });

  it('sends one commit for all who wait for an earlier one, also when it fails', async () => {
    finishUpTo(3);
    void loop.flush();
    finishUpTo(5);
    const waiting = [loop.flush(), loop.flush()];
    commits[0]?.answer.reject(new Error('no coordinator'));
    await settled();
    commits[1]?.answer.reject(new Error('no coordinator'));
    expect(await Promise.all(waiting)).toEqual([false, false]);
    expect(offsets()).toEqual([[3], [5]]);
    expect(failures).toHaveLength(2);
  });

  it('never has two outstanding, whenever between two of them somebody asks', async () => {
    finishUpTo(3);
    void loop.flush();
    finishUpTo(5);
    void loop.flush();
    commits[0]?.answer.reject(new Error('no coordinator'));
    for (let turn = 0; turn < 20; turn++) {
      await Promise.resolve();
      void loop.flush();
    }
    await settled();
    expect(offsets()).toEqual([[3], [5]]);
  });

  it('sends nothing any more once it has ended, also for those who wait', async () => {
    finishUpTo(3);
    void loop.flush();
    finishUpTo(5);
    const waiting = loop.flush();
    loop.end();
    commits[0]?.answer.resolve();
    expect(await waiting).toBe(false);
    expect(await loop.flush()).toBe(false);
    expect(offsets()).toEqual([[3]]);
  });

  it('goes on for those who wait when a failure cannot be noted', async () => {
    loop = new CommitLoop({
      ...options,
      onFailed: () => {
        throw new Error('no log');
      },
    });
    finishUpTo(3);
    const failed = loop.flush();
    const waiting = loop.flush();
    commits[0]?.answer.reject(new Error('no coordinator'));
    await expect(failed).rejects.toThrow('no log');
    commits[1]?.answer.resolve();
    expect(await waiting).toBe(true);
  });

  it('sends at once when it is asked in a rebalance', () => {
    finishUpTo(3);
    void loop.flush();
    expect(offsets()).toEqual([[3]]);
  });

  it('does not repeat a commit that failed, but covers it by the next', async () => {
    loop.start();
    finishUpTo(3);
    await clock.advance(250);
    commits[0]?.answer.reject(new Error('no coordinator'));
    await settled();
    expect(failures).toHaveLength(1);
    finishUpTo(4);
    await clock.advance(250);
    expect(offsets()).toEqual([[3], [4]]);
  });

  it('leaves out a partition that is no longer owned', async () => {
    const other = new PartitionEpoch({ topic: 'topic', partition: 1 }, limits);
    other.window.passOver(6);
    epochs = [epoch, other];
    finishUpTo(3);
    void loop.flush();
    epochs = [other];
    finishUpTo(9);
    commits[0]?.answer.resolve();
    void loop.flush();
    await settled();
    expect(commits).toHaveLength(1);
  });

  it('says how long finished records have waited', async () => {
    loop.start();
    await clock.advance(1_000);
    expect(loop.ageMs).toBe(0);
    finishUpTo(3);
    await clock.advance(5_000);
    expect(loop.ageMs).toBe(5_000);
    commits[0]?.answer.resolve();
    await settled();
    expect(loop.ageMs).toBe(0);
  });

  it('commits nothing by itself once it is stopped', async () => {
    loop.start();
    loop.stop();
    finishUpTo(3);
    await clock.advance(10_000);
    expect(commits).toEqual([]);
  });
});
