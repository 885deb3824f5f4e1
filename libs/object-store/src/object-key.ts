import { createHash } from 'node:crypto';

/** Names one object: below its tenant, its document and its revision, never shared between them. */
export interface ObjectName {
  tenantId: string;
  documentId: string;
  /** The revision; or an id of the upload, when the text is stored before its revision is minted. */
  revision: number | string;
  name: string;
}

// A segment starts with a letter, digit or underscore, so neither '.', '..' nor a hidden folder can be named.
const segment = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const maxSegments = 8;

/**
 * The key `tenantId/<sha256 of the document id>/<revision>/<name>`: document ids may hold any character, keys may not.
 * Throws an Error when the tenant id, the revision or the name cannot be part of a key.
 */
export function objectKey({ tenantId, documentId, revision, name }: ObjectName): string {
  const document = createHash('sha256').update(documentId, 'utf8').digest('hex');
  const key = [tenantId, document, String(revision), name].join('/');
  if (!isObjectKey(key) || key.split('/').length !== 4) {
    throw new Error('An object key needs a tenant id, revision and name of letters, digits, ".", "_" and "-".');
  }
  return key;
}

/** Whether the value is a well-formed key: it can name nothing outside the store's folder. */
export function isObjectKey(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const segments = value.split('/');
  return segments.length >= 2 && segments.length <= maxSegments && segments.every((part) => segment.test(part));
}

/** Whether the key is well-formed and lies below the tenant. */
export function belongsTo(key: string, tenantId: string): boolean {
  return isObjectKey(key) && key.startsWith(`${tenantId}/`);
}
