import { describe, expect, it } from '@jest/globals';
import type { BrokerRecord } from '../src/broker-port.js';
import { Assignment } from '../src/consumer/assignment.js';
import { encodeStretches } from '../src/consumer/finished-stretches.js';
import { PartitionEpoch } from '../src/consumer/partition-epoch.js';

const partition = { topic: 'topic', partition: 0 };
const limits = { maxRecords: 4, maxBytes: 100 };

function records(bytes: number, ...offsets: number[]): BrokerRecord[] {
  return offsets.map((offset) => ({
    ...partition,
    offset,
    timestamp: 0,
    key: null,
    value: Buffer.alloc(bytes),
    headers: [],
  }));
}

function batch(fetched: BrokerRecord[]) {
  const lastOffset = fetched.at(-1)?.offset ?? 0;
  return { ...partition, records: fetched, lastOffset, endOffset: lastOffset + 1 };
}

describe('a partition’s epoch', () => {
  it('is full at its limit of records, and again has room at half of it', () => {
    const epoch = new PartitionEpoch(partition, limits);
    const fetched = epoch.take(batch(records(1, 0, 1, 2, 3)));
    expect(epoch.isFull).toBe(true);
    epoch.finish(fetched[3] as BrokerRecord);
    expect(epoch.isFull).toBe(true);
    epoch.finish(fetched[2] as BrokerRecord);
    expect(epoch.isFull).toBe(false);
  });

  it('is full at its limit of bytes, headers and key included', () => {
    const epoch = new PartitionEpoch(partition, limits);
    const [record] = records(80, 0) as [BrokerRecord];
    epoch.take(batch([{ ...record, key: Buffer.alloc(10), headers: [['five5', Buffer.alloc(5)]] }]));
    expect(epoch.isFull).toBe(true);
  });

  it('owes a commit only when something finished', () => {
    const epoch = new PartitionEpoch(partition, limits);
    const fetched = epoch.take(batch(records(1, 7, 8)));
    expect(epoch.due).toBeUndefined();
    epoch.finish(fetched[0] as BrokerRecord);
    expect(epoch.due).toBe(8);
    epoch.committed = 8;
    expect(epoch.due).toBeUndefined();
  });

  describe('kept over a rebalance, when the broker says its own', () => {
    const found = { ...partition, offset: 0, committed: 0, metadata: '', endOffset: 3 };
    const strangers = { ...found, offset: 3, committed: 3 };
    const begin = () => {
      const epoch = new PartitionEpoch(partition, limits);
      epoch.restore(found);
      const [first, second, third] = epoch.take(batch(records(1, 0, 1, 2))) as [
        BrokerRecord,
        BrokerRecord,
        BrokerRecord,
      ];
      epoch.finish(first);
      return { epoch, second, third, own: epoch.progress(1) };
    };

    it('says once more where it is, since an operator may have set the offset, or erased what was said with it', () => {
      const { epoch, own } = begin();
      epoch.acknowledge(own);
      for (const committed of [undefined, 0, 1]) {
        epoch.restore({ ...found, committed });
        expect(epoch.due).toBe(1);
        epoch.acknowledge(epoch.progress(1));
        expect(epoch.due).toBeUndefined();
      }
    });

    it('does not undo what a stranger has skipped, and puts it right when it has come so far', () => {
      const before = begin();
      before.epoch.acknowledge(before.own);
      before.epoch.restore(strangers);
      const behind = begin();
      behind.epoch.restore(strangers);
      behind.epoch.acknowledge(behind.own);
      for (const { epoch, second, third } of [before, behind]) {
        epoch.finish(third);
        expect(epoch.due).toBeUndefined();
        epoch.finish(second);
        expect(epoch.due).toBe(3);
        epoch.acknowledge(epoch.progress(3));
        expect(epoch.due).toBeUndefined();
      }
    });

    it('repeats a commit that was under way, since nobody knows which of the two the broker took last', () => {
      const { epoch, second } = begin();
      epoch.finish(second);
      const further = epoch.progress(2);
      epoch.restore(found);
      epoch.acknowledge(further);
      expect(epoch.due).toBe(2);
    });
  });

  it('goes on where the group is, and says so when the log has less than was known of it', () => {
    const found = {
      ...partition,
      offset: 3,
      committed: 3,
      metadata: encodeStretches(3, [{ begin: 6, end: 8 }]).text,
      endOffset: 8,
    };
    new PartitionEpoch(partition, limits).restore(found);
    const cut = { ...found, endOffset: 7 };
    expect(() => new PartitionEpoch(partition, limits).restore(cut)).toThrow(/topic\/0.*offset 7.*ends at 7/);
    const kept = new PartitionEpoch(partition, limits);
    kept.take(batch(records(1, 0, 1, 2, 3)));
    kept.restore({ ...partition, offset: 1, committed: 1, metadata: '', endOffset: 4 });
    expect(() => kept.restore({ ...partition, offset: 1, committed: 1, metadata: '', endOffset: 3 })).toThrow(
      /it was cut/,
    );
  });

  it('owes a commit for what was removed before anybody could handle it', () => {
    const removed = { ...partition, offset: 9, metadata: '', endOffset: 9 };
    const begun = new PartitionEpoch(partition, limits);
    begun.restore({ ...removed, committed: 4 });
    expect(begun.due).toBe(9);
    const kept = new PartitionEpoch(partition, limits);
    kept.restore({ ...partition, offset: 0, committed: undefined, metadata: '', endOffset: 9 });
    for (const record of kept.take(batch(records(1, 0, 1)))) kept.finish(record);
    kept.restore({ ...removed, committed: undefined });
    expect(kept.due).toBe(9);
  });

  it('is behind by what lies between its watermark and the end', () => {
    const epoch = new PartitionEpoch(partition, limits);
    expect(epoch.lag).toBe(0);
    epoch.take({ ...batch(records(1, 0, 1)), endOffset: 10 });
    expect(epoch.lag).toBe(10);
  });

  it('takes any number of handlers that listen to its end, without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    const { signal } = new PartitionEpoch(partition, limits);
    for (let handler = 0; handler < 100; handler++) signal.addEventListener('abort', () => {});
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

describe('an assignment', () => {
  it('keeps the epoch of a kept partition, ends that of a lost one, and begins another when it comes back', () => {
    const assignment = new Assignment(limits);
    const other = { topic: 'topic', partition: 1 };
    assignment.assign([partition, other]);
    const [kept, lost] = [assignment.get(partition), assignment.get(other)];
    expect(assignment.assign([partition]).lost).toEqual([lost]);
    expect([kept?.isCurrent, lost?.isCurrent, lost?.signal.aborted]).toEqual([true, false, true]);
    assignment.assign([partition, other]);
    expect(assignment.get(partition)).toBe(kept);
    expect(assignment.get(other)).not.toBe(lost);
    expect([...assignment]).toHaveLength(2);
  });
});
