import { beforeEach, describe, expect, it } from '@jest/globals';
import { accuse } from '../src/consumer/accusation.js';
import { encodeMetadata } from '../src/consumer/commit-metadata.js';
import { PartitionEpoch } from '../src/consumer/partition-epoch.js';
import { triedBy, type Stage, type Suspicion } from '../src/consumer/suspicion.js';

const rules = { maxExits: 3, maxSuspects: 100, isFirst: true };
const notice = { run: 'dead', reason: 'SIGABRT', ranMs: 1_000 };

/** A partition that the process begins with, of ten records, with what was committed about suspects. */
function epochOf(partition: number, suspicion?: Suspicion): PartitionEpoch {
  const epoch = new PartitionEpoch({ topic: 'topic', partition }, { maxRecords: 100, maxBytes: 1_000 });
  const metadata = encodeMetadata(0, { finished: [], suspicion }).text;
  epoch.restore({ topic: 'topic', partition, offset: 0, committed: 0, metadata, endOffset: 10 });
  return epoch;
}

function alone(stage: Stage = 'try'): Suspicion {
  return { end: 10, halvedEnd: 1, groupEnd: 1, isAlone: true, exits: 1, stage, restMs: 0 };
}

describe('after an end by its own fault', () => {
  let idle: PartitionEpoch;
  beforeEach(() => {
    idle = epochOf(0);
  });

  it('everything that can have been in flight is suspected, in every partition', () => {
    const other = epochOf(1);
    expect(accuse([idle, other], notice, rules)).toBe(true);
    expect([idle, other].map(({ suspicion }) => suspicion?.end)).toEqual([10, 10]);
  });

  it('the group that the process tried explains it: nothing else is suspected', () => {
    const tried = epochOf(1, triedBy(alone(), 'dead'));
    accuse([idle, tried], notice, rules);
    expect(tried.suspicion).toMatchObject({ exits: 2 });
    expect(idle.suspicion).toBeUndefined();
  });

  it('a group that another process tried bears nothing of it', () => {
    const tried = epochOf(1, triedBy(alone(), 'another'));
    accuse([idle, tried], notice, rules);
    expect(tried.suspicion).toMatchObject({ exits: 1 });
    expect(idle.suspicion?.end).toBe(10);
  });

  it('a group that comes back later bears it, too; nothing else does that others had meanwhile', () => {
    const later = { ...rules, isFirst: false };
    const tried = epochOf(1, triedBy(alone(), 'dead'));
    accuse([idle], notice, later);
    expect(idle.suspicion).toBeUndefined();
    accuse([idle, tried], notice, later);
    accuse([idle, tried], notice, later);
    expect(tried.suspicion).toMatchObject({ exits: 2 });
    expect(idle.suspicion).toBeUndefined();
  });

  it('no record bears it alone when two groups can have been tried', () => {
    const tried = [epochOf(0, triedBy(alone(), 'dead')), epochOf(1, triedBy(alone(), 'dead'))];
    accuse(tried, notice, rules);
    expect(tried.map(({ suspicion }) => suspicion?.exits)).toEqual([1, 1]);
  });

  it('while it rested, all are acquitted', () => {
    const [resting, waiting] = [epochOf(0, triedBy(alone('rest'), 'dead')), epochOf(1, alone())];
    expect(accuse([resting, waiting], notice, rules)).toBe(false);
    expect([resting, waiting].map(({ suspicion }) => suspicion)).toEqual([undefined, undefined]);
  });
});
