import type { ContentRef, Priority, Sensitivity } from '@anabranch/contracts';
import type { IdempotencyKey } from '../idempotency/keys.js';
import type { AcceptanceLimits } from '../limits/acceptance-limits.js';
import type { DocumentKey } from './documents.js';
import type { JobView } from './job-view.js';

/** A document as ingestion hands it over: read, cleaned, and stored where it does not travel inline. */
export interface NewDocument {
  tenantId: string;
  /** Null: the id is derived from the text, so that the same text without an id is the same document. */
  documentId: string | null;
  /** See `contentSha256Of`. The requested analyses are not in it: they are compared as the set that they resolve to. */
  contentSha256: string;
  /** SHA-256 of the cleaned text, lower-case hex. */
  textSha256: string;
  /** The cleaned text, when it travels inline; exactly one of text and textRef is given. */
  text: string | null;
  textRef: ContentRef | null;
  mediaType: string;
  charset: string | null;
  language: string | null;
  metadata: Record<string, string>;
  /** Empty: all that the deployment has enabled. */
  requestedAnalyses: readonly string[];
  /** Duration from acceptance, resolved: never 0. */
  deadlineMs: number;
  /** See `NewRevision`; null: the deadline. */
  graceMs: number | null;
  priority: Priority;
  sensitivity: Sensitivity;
  sourceEventId: string | null;
  stream: boolean;
  /** Null: the job id stands in for it. */
  correlationId: string | null;
  traceparent: string | null;
  /** Null: the request carries no key. */
  idempotency: IdempotencyKey | null;
  /** Bounds on new jobs; a document whose job exists is answered whatever they say. */
  limits: AcceptanceLimits;
}

export interface AcceptedDocument {
  job: JobView;
  /** False when the document's latest revision had this content and these analyses already. */
  created: boolean;
  /** Whether a request of the same key was answered so before, and nothing happened now. */
  replayed: boolean;
}

/** The id of a document that was sent without one. */
export function documentIdOf(textSha256: string): string {
  return `sha256-${textSha256}`;
}

/** Whose document it is, also when it was sent without an id. */
export const documentKeyOf = ({ tenantId, documentId, textSha256 }: NewDocument): DocumentKey => ({
  tenantId,
  documentId: documentId ?? documentIdOf(textSha256),
});
