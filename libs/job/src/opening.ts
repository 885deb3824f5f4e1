import type { Fact } from './job.js';

/** What the opening of a revision means for the jobs of its document. */
export interface Opening {
  /** For the job of the opened revision itself. */
  own: Fact[];
  /** For every job of the document with a lower revision. */
  older: Fact[];
}

/**
 * The highest revision wins (semantics §1): a newer one takes the place of the older ones that are not settled, and a late
 * lower one settles at once as superseded. `latestRevision` is the highest known before; null when there was none.
 */
export function openingOf(revision: number, latestRevision: number | null): Opening {
  if (latestRevision !== null && revision < latestRevision) {
    return { own: [{ type: 'newerRevisionOpened', revision: latestRevision }], older: [] };
  }
  return { own: [], older: [{ type: 'newerRevisionOpened', revision }] };
}
