import type { Fact } from './job.js';

/** A job of the document that is not settled. */
export interface RunningJob {
  readonly jobId: string;
  readonly revision: number;
}

/** What the document is like when a revision of it opens. */
export interface DocumentBefore {
  /** The highest revision known before; null when there was none. */
  readonly latestRevision: number | null;
  /** Jobs that are not settled. */
  readonly running: readonly RunningJob[];
  /** Since when the document has had no published result, in milliseconds. */
  readonly unpublishedForMs: number;
  /** How long it may be so before a newer revision no longer takes the place of what runs. */
  readonly graceMs: number;
}

/** What the opening of a revision means for the jobs of its document. */
export interface Opening {
  /** For the job of the opened revision itself. */
  readonly own: readonly Fact[];
  /** Jobs with a lower revision whose place it takes. */
  readonly overtaken: readonly string[];
  /** The one job with a lower revision that runs on beside it, so that a document whose revisions come faster than they are worked has a result at all. */
  readonly kept: string | null;
}

/**
 * The highest revision wins (semantics §1): a newer one takes the place of the older ones that are not settled, and a late
 * lower one settles at once as superseded. But while a document has had no published result for the grace time, the
 * oldest of its jobs runs on: it is the nearest to its end (semantics §3).
 */
export function openingOf(revision: number, before: DocumentBefore): Opening {
  const { latestRevision, running, unpublishedForMs, graceMs } = before;
  if (latestRevision !== null && revision < latestRevision) {
    return { own: [{ type: 'newerRevisionOpened', revision: latestRevision }], overtaken: [], kept: null };
  }
  const older = running.filter((job) => job.revision < revision).sort((a, b) => a.revision - b.revision);
  const kept = unpublishedForMs > graceMs ? (older[0]?.jobId ?? null) : null;
  const overtaken = older.map(({ jobId }) => jobId).filter((jobId) => jobId !== kept);
  return { own: [], overtaken, kept };
}
