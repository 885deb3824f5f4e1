// Reads documents for one tenant. A document of another tenant is answered as one that does not exist.
import type { Database } from '@anabranch/database';
import {
  getDocument,
  listRevisions,
  type JobView,
  type RevisionPage,
  type RevisionRange,
} from '@anabranch/database/jobs';
import { Problem } from '../http/problem.js';
import { explainCursor } from '../jobs/job-reader.js';

/** Every method throws the problem DOCUMENT_NOT_FOUND, or DependencyUnavailable. */
export interface DocumentReader {
  /** The job of the latest revision. */
  latest(tenantId: string, documentId: string): Promise<JobView>;
  revisions(tenantId: string, range: RevisionRange): Promise<RevisionPage>;
}

export function createDocumentReader(db: Database): DocumentReader {
  return {
    latest: async (tenantId, documentId) => found(await getDocument(db, tenantId, documentId)),
    revisions: async (tenantId, range) => found(await explainCursor(listRevisions(db, tenantId, range))),
  };
}

function found<T>(value: T | null): T {
  if (value !== null) return value;
  const detail = 'There is no document of this id among yours. GET /v1/jobs lists the documents of all jobs.';
  throw new Problem('DOCUMENT_NOT_FOUND', detail);
}
