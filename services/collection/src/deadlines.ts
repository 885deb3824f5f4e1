// Lateness is judged by consumption, not by the clock alone (semantics §4): an outcome that came in time is never called
// late because the collector was behind.
import type { OverdueJob, SettledJob } from '@anabranch/database/jobs';
import type { CommittedOffset, EndOffset } from '@anabranch/kafka';
import { endsByPartition, endsOf, isConsumed } from './consumption.js';

export interface DeadlinePorts {
  /** Jobs beyond their deadline by the database's clock, without the known ones. */
  overdue(known: readonly string[], limit: number): Promise<OverdueJob[]>;
  /** Settles what is outstanding of these jobs as late. */
  pass(jobs: readonly OverdueJob[]): Promise<readonly SettledJob[]>;
  /** The end offsets of all topics of results. */
  ends(): Promise<readonly EndOffset[]>;
  /** What this group has finished of them. */
  committed(): Promise<readonly CommittedOffset[]>;
  /** This process's clock, in epoch milliseconds. */
  now(): number;
}

/** An overdue job, and what lay in its partition after its deadline. */
interface Waiting {
  readonly job: OverdueJob;
  readonly ends: readonly EndOffset[];
}

/** Jobs that may wait for their partition to be read. */
const maxWaiting = 5_000;
/** Jobs of one transaction. */
const maxJobs = 500;

/**
 * Finds jobs whose deadline has passed, and settles them once the group has read everything that lay in their
 * partitions after the deadline.
 */
export class Deadlines {
  private readonly waiting = new Map<string, Waiting>();

  constructor(private readonly ports: DeadlinePorts) {}

  /** One look. Returns what was settled. */
  async check(): Promise<readonly SettledJob[]> {
    await this.findOverdue();
    if (this.waiting.size === 0) return [];
    const committed = await this.ports.committed();
    const judged = [...this.waiting.values()].filter(({ ends }) => isConsumed(ends, committed)).map(({ job }) => job);
    const settled: SettledJob[] = [];
    for (let at = 0; at < judged.length; at += maxJobs)
      settled.push(...(await this.pass(judged.slice(at, at + maxJobs))));
    return settled;
  }

  private async pass(jobs: readonly OverdueJob[]): Promise<readonly SettledJob[]> {
    const settled = await this.ports.pass(jobs);
    for (const { jobId } of jobs) this.waiting.delete(jobId);
    return settled;
  }

  /** The ends are asked after the deadline: what was appended before it lies below them. */
  private async findOverdue(): Promise<void> {
    const { overdue, ends, now } = this.ports;
    const found = await overdue([...this.waiting.keys()], maxWaiting - this.waiting.size);
    // Two clocks must agree: one that jumped ahead makes nothing late.
    const due = found.filter(({ deadlineAt }) => deadlineAt <= now());
    if (due.length === 0) return;
    const byPartition = endsByPartition(await ends());
    for (const job of due) this.waiting.set(job.jobId, { job, ends: endsOf(byPartition, job.documentId) });
  }
}
