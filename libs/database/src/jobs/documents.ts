import { keyWithin } from '@anabranch/contracts';
import type { Queryable } from '../database.js';

/** Whose document it is. */
export interface DocumentKey {
  tenantId: string;
  documentId: string;
}

/** A document whose row this transaction has locked: nobody else changes its jobs meanwhile. */
export interface LockedDocument extends DocumentKey {
  /** The highest revision that was opened; null while only outcomes have come. */
  latestRevision: number | null;
  /** The older job that runs on beside the newest one; null when there is none. */
  keptJobId: string | null;
  /** Since when it has had no published result, in epoch milliseconds: as it was locked, the time it was made. */
  unpublishedSince: number;
  /** Whether `latestRevision` and `keptJobId` have to be written back. */
  isChanged: boolean;
}

/** The documents that a transaction holds. */
export interface LockedDocuments {
  documents: Map<string, LockedDocument>;
  /** The transaction's time by the database's clock, in epoch milliseconds: what its rows get as `created_at`. */
  now: number;
}

/** A map's key for a document. */
export function documentKey({ tenantId, documentId }: DocumentKey): string {
  return keyWithin(tenantId, documentId);
}

/** Each document once. */
export function distinctDocuments(keys: readonly DocumentKey[]): DocumentKey[] {
  return [...new Map(keys.map((key) => [documentKey(key), key])).values()];
}

interface DocumentRow extends Record<string, unknown> {
  tenant_id: string;
  document_id: string;
  latest_revision: string | null;
  kept_job_id: string | null;
  created_at: Date;
  now: Date;
}

/**
 * Locks the documents, sorted; makes the rows of new ones. Two statements: rows that another transaction made meanwhile
 * are invisible to the first one's snapshot. Inserting before locking keeps the order of all locks the same for everybody.
 */
export async function lockDocuments(tx: Queryable, keys: readonly DocumentKey[]): Promise<LockedDocuments> {
  const distinct = distinctDocuments(keys);
  const parameters = [distinct.map(({ tenantId }) => tenantId), distinct.map(({ documentId }) => documentId)];
  const inserted = tx.query(
    `INSERT INTO document (tenant_id, document_id)
     SELECT tenant_id, document_id FROM unnest($1::text[], $2::text[]) AS k(tenant_id, document_id)
     ORDER BY tenant_id, document_id
     ON CONFLICT DO NOTHING`,
    parameters,
  );
  const locked = tx.query<DocumentRow>(
    `SELECT d.tenant_id, d.document_id, d.latest_revision, d.kept_job_id, d.created_at, now()::timestamptz(3) AS now
     FROM unnest($1::text[], $2::text[]) AS k(tenant_id, document_id)
     JOIN document d USING (tenant_id, document_id)
     ORDER BY d.tenant_id, d.document_id
     FOR NO KEY UPDATE OF d`,
    parameters,
  );
  const [, rows] = await Promise.all([inserted, locked]);
  const documents = rows.map((row): LockedDocument => ({
    tenantId: row.tenant_id,
    documentId: row.document_id,
    latestRevision: row.latest_revision === null ? null : Number(row.latest_revision),
    keptJobId: row.kept_job_id,
    unpublishedSince: row.created_at.getTime(),
    isChanged: false,
  }));
  const byKey = new Map(documents.map((document) => [documentKey(document), document]));
  return { documents: byKey, now: rows[0]?.now.getTime() ?? Date.now() };
}
