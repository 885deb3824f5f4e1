import type { JobState } from '@anabranch/job';
import { LessThan } from 'typeorm';
import type { Database } from '../database.js';
import { InvalidCursor } from './cursor.js';
import { JobEntity } from './entities.js';
import type { JobView } from './job-view.js';
import { viewsOf } from './read-jobs.js';

// A document is shown by its revisions' jobs: before the first of them is opened there is nothing to show.

/** One revision of a document. Times are ISO 8601 in UTC. */
export interface RevisionView {
  revision: number;
  jobId: string;
  state: JobState;
  createdAt: string;
  /** SHA-256 of the cleaned text, lower-case hex. */
  textSha256: string;
}

/** Which revisions of which document. */
export interface RevisionRange {
  documentId: string;
  /** From a former page. */
  cursor?: string;
  /** From 1 to 200; 50 unless given. */
  limit?: number;
}

export interface RevisionPage {
  /** Newest first. */
  revisions: RevisionView[];
  /** Null on the last page. */
  nextCursor: string | null;
}

/** The job of the document's latest revision; null when this tenant has no such document. */
export async function getDocument(db: Database, tenantId: string, documentId: string): Promise<JobView | null> {
  if (!isStorable(documentId)) return null;
  const [view] = await db.readAs(tenantId, async (entities) => {
    const where = { tenantId, documentId };
    return viewsOf(entities, await entities.find(JobEntity, { where, order: { revision: 'DESC' }, take: 1 }));
  });
  return view ?? null;
}

/**
 * The document's revisions, newest first; null when this tenant has no such document.
 * @throws InvalidCursor for a cursor that no page gave
 */
export async function listRevisions(
  db: Database,
  tenantId: string,
  { documentId, cursor, limit = 50 }: RevisionRange,
): Promise<RevisionPage | null> {
  if (!isStorable(documentId)) return null;
  const before = cursor === undefined ? undefined : decodeRevision(cursor);
  const size = Math.min(Math.max(limit, 1), 200);
  const found = await db.readAs(tenantId, (entities) => {
    const where = { tenantId, documentId, ...(before !== undefined && { revision: LessThan(before) }) };
    return entities.find(JobEntity, { where, order: { revision: 'DESC' }, take: size + 1 });
  });
  if (found.length === 0 && before === undefined) return null;
  const page = found.slice(0, size);
  const last = page.at(-1);
  return {
    revisions: page.map(revisionView),
    nextCursor: found.length > size && last ? encodeRevision(last.revision) : null,
  };
}

function revisionView({ id, revision, state, createdAt, textSha256 }: JobEntity): RevisionView {
  return { revision, jobId: id, state, createdAt: createdAt.toISOString(), textSha256 };
}

/** Postgres would refuse a NUL as a fault of the query; no document has such an id. */
function isStorable(documentId: string): boolean {
  return !documentId.includes('\0') && documentId.isWellFormed();
}

function encodeRevision(revision: number): string {
  return Buffer.from(`r${revision}`, 'latin1').toString('base64url');
}

function decodeRevision(cursor: string): number {
  const [, revision] = /^r(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (revision === undefined) throw new InvalidCursor('The cursor is none that a page gave.');
  return Number(revision);
}
