import { hash } from 'node:crypto';
import type { OutcomeStatus } from './generated/events.generated.js';

/** UUIDv5 of the URL namespace and `urn:anabranch`: the namespace of every id that is derived. */
export const namespaceUuid = '0caba2a7-b9a5-5220-af60-d6d2f4912809';

const namespaceBytes = Buffer.from(namespaceUuid.replaceAll('-', ''), 'hex');

/**
 * UUIDv5 over parts, each preceded by the length of its UTF-8 bytes (32 bits, big-endian), so that no two lists of parts
 * make the same name. Test vectors are in this library's README.
 */
export function uuidV5(parts: readonly string[]): string {
  const name = Buffer.allocUnsafe(
    parts.reduce((sum, part) => sum + 4 + Buffer.byteLength(part), namespaceBytes.length),
  );
  let end = namespaceBytes.copy(name);
  for (const part of parts) {
    const bytes = name.write(part, end + 4);
    name.writeUInt32BE(bytes, end);
    end += 4 + bytes;
  }
  const bytes = hash('sha1', name, 'buffer');
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x50;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A map's key for what a tenant calls by a name. Length-prefixed: no choice of ids can make two tenants' keys one. */
export function keyWithin(tenantId: string, name: string): string {
  return `${tenantId.length}:${tenantId}${name}`;
}

/** What a job is the work on: one revision of one document of one tenant. */
export interface JobKey {
  tenantId: string;
  documentId: string;
  revision: number;
}

/** The id of the job of a revision. Everybody derives the same one; the revision counts in decimal. */
export function jobIdOf({ tenantId, documentId, revision }: JobKey): string {
  return uuidV5([tenantId, documentId, String(revision)]);
}

/** What makes two outcomes the same fact: a repeat of it is a duplicate. */
export interface OutcomeKey {
  jobId: string;
  analysis: string;
  run: number;
  status: OutcomeStatus;
}

/** The event id of an outcome. */
export function outcomeIdOf({ jobId, analysis, run, status }: OutcomeKey): string {
  return uuidV5([jobId, analysis, String(run), status]);
}

/** The event id of `document.enriched`: one per settlement of a job. */
export function settlementIdOf(jobId: string, resultVersion: number): string {
  return uuidV5([jobId, String(resultVersion)]);
}

/** The event id of a `document.ingested` whose producer left it empty. */
export function ingestedEventIdOf(jobId: string): string {
  return uuidV5([jobId, 'document.ingested']);
}

/** What makes two commands the same: `release` counts the releases of a deferred run, and is 0 for its first request. */
export interface CommandKey {
  jobId: string;
  analysis: string;
  run: number;
  release: number;
}

/** The event id of `analysis.NAME.requested`. */
export function commandIdOf({ jobId, analysis, run, release }: CommandKey): string {
  return uuidV5([jobId, analysis, String(run), 'requested', String(release)]);
}
