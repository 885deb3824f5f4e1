import { describe, expect, it } from '@jest/globals';
import { partitionOf } from '@anabranch/contracts';
import type { OverdueJob } from '@anabranch/database/jobs';
import type { CommittedOffset, EndOffset } from '@anabranch/kafka';
import { Deadlines, type DeadlinePorts } from '../src/deadlines.js';

const partitions = 4;
const topics = ['analysis.summary.finished', 'analysis.sentiment.finished'];
const overdueJob = (documentId: string): OverdueJob => ({
  jobId: documentId,
  tenantId: 't',
  documentId,
  deadlineAt: 1_000,
});

/** A group whose topics and progress the test sets. */
class World {
  clock = 1_000;
  overdue: OverdueJob[] = [];
  readonly passed: string[] = [];
  readonly high = new Map<string, number>();
  readonly done = new Map<string, number>();
  readonly deadlines = new Deadlines(this.ports());

  private ports(): DeadlinePorts {
    return {
      overdue: (known, limit) =>
        Promise.resolve(this.overdue.filter(({ jobId }) => !known.includes(jobId)).slice(0, limit)),
      pass: (jobs) => {
        for (const { jobId } of jobs) this.passed.push(jobId);
        this.overdue = this.overdue.filter(({ jobId }) => !this.passed.includes(jobId));
        return Promise.resolve([]);
      },
      ends: () =>
        Promise.resolve(this.offsets(this.high).map((one): EndOffset => ({ ...one, low: 0, high: one.offset }))),
      committed: () => {
        const known = this.offsets(this.done).filter(({ topic, partition }) => this.done.has(`${topic}/${partition}`));
        return Promise.resolve(known.map((one): CommittedOffset => ({ ...one, metadata: '' })));
      },
      now: () => this.clock,
    };
  }

  /** Every topic's partition of the document ends here, or is handled up to here. */
  set(which: 'high' | 'done', documentId: string, offset: number): void {
    for (const topic of topics) this[which].set(`${topic}/${partitionOf(documentId, partitions)}`, offset);
  }

  private offsets(of: Map<string, number>) {
    return topics.flatMap((topic) =>
      Array.from({ length: partitions }, (_, partition) => {
        return { topic, partition, offset: of.get(`${topic}/${partition}`) ?? 0 };
      }),
    );
  }
}

describe('a job whose deadline has passed', () => {
  it('is late at once when nothing of its partition waits to be read', async () => {
    const world = new World();
    world.overdue = [overdueJob('d')];
    await world.deadlines.check();
    expect(world.passed).toEqual(['d']);
  });

  it('is not late before all is read that lay in its partition, whatever comes behind it', async () => {
    const world = new World();
    world.set('high', 'd', 100);
    world.set('done', 'd', 40);
    world.overdue = [overdueJob('d')];
    await world.deadlines.check();
    world.set('high', 'd', 500);
    world.set('done', 'd', 99);
    await world.deadlines.check();
    expect(world.passed).toEqual([]);
    world.set('done', 'd', 100);
    await world.deadlines.check();
    expect(world.passed).toEqual(['d']);
  });

  it('does not wait for other partitions', async () => {
    const world = new World();
    const other = Array.from({ length: 50 }, (_, at) => `other-${at}`).find(
      (id) => partitionOf(id, partitions) !== partitionOf('d', partitions),
    );
    world.set('high', other ?? '', 100);
    world.overdue = [overdueJob('d'), overdueJob(other ?? '')];
    await world.deadlines.check();
    expect(world.passed).toEqual(['d']);
  });

  it('is not late while a group has committed nothing of a partition that holds outcomes', async () => {
    const world = new World();
    world.set('high', 'd', 1);
    world.overdue = [overdueJob('d')];
    await world.deadlines.check();
    expect(world.passed).toEqual([]);
  });

  it('is not late when only the database’s clock says so, as after a jump', async () => {
    const world = new World();
    world.clock = 999;
    world.overdue = [overdueJob('d')];
    await world.deadlines.check();
    expect(world.passed).toEqual([]);
    world.clock = 1_000;
    await world.deadlines.check();
    expect(world.passed).toEqual(['d']);
  });

  it('is judged in batches that a transaction can hold', async () => {
    const world = new World();
    world.overdue = Array.from({ length: 1_200 }, (_, at) => overdueJob(`d-${at}`));
    await world.deadlines.check();
    expect(world.passed).toHaveLength(1_200);
  });
});
