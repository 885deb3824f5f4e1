// From a read document to an accepted job. Invariant: what the accepting transaction refers to is stored before it.
import { randomUUID } from 'node:crypto';
import { inlineTextMaxBytes, type ContentRef } from '@anabranch/contracts';
import type { IdempotencyKey } from '@anabranch/database/idempotency';
import type { AcceptedDocument, NewDocument } from '@anabranch/database/jobs';
import { contentSha256Of, documentIdOf } from '@anabranch/database/jobs';
import type { AcceptanceLimits } from '@anabranch/database/limits';
import { DependencyUnavailable, PoisonMessage } from '@anabranch/failures';
import { reach } from '@anabranch/failures/fail-points';
import { objectKey, type ObjectStore } from '@anabranch/object-store';
import { cleanText, textSha256 } from '@anabranch/text';
import { Problem } from '../http/problem.js';
import type { DocumentRequest } from './document-request.js';
import type { HtmlReader } from './html-reader.js';
import { keyProblemOf } from './idempotency.js';
import { limitProblemOf, type OnLimitReached } from './tenant-limits.js';

/** What acceptance needs of the world. */
export interface AcceptancePorts {
  /** Accepts durably, in one transaction with the outbox row. */
  accept(document: NewDocument): Promise<AcceptedDocument>;
  /** Names of the analyses that may be asked for. */
  knownAnalyses(): Promise<readonly string[]>;
  store: ObjectStore;
  readHtml: HtmlReader;
  /** The deadline of documents that name none. */
  deadlineMs: number;
  /** How long a document may be without a published result; null: its deadline. */
  graceMs: number | null;
  limits: AcceptanceLimits;
  onLimitReached: OnLimitReached;
}

/** Who sends the document, in which trace. */
export interface Sender {
  tenantId: string;
  correlationId: string;
  traceparent: string;
  /** Null: the request carries no key. */
  idempotency: IdempotencyKey | null;
}

/** Accepts a document durably, or finds the job that its content has already. Throws a Problem or DependencyUnavailable. */
export type Acceptance = (request: DocumentRequest, sender: Sender) => Promise<AcceptedDocument>;

export function createAcceptance(ports: AcceptancePorts): Acceptance {
  return async (request, sender) => {
    await assertKnown(request.analyses, ports.knownAnalyses);
    const isHtml = request.mediaType === 'text/html';
    const text = cleanText(isHtml ? await ports.readHtml(request.text) : request.text);
    const deadlineMs = request.deadlineMs || ports.deadlineMs;
    const document = describe({ request, sender, text, deadlineMs }, ports);
    if (isInline(text, request.sensitivity)) return acceptOrExplain(ports, { ...document, text });
    return acceptStored(ports, document, text);
  };
}

async function assertKnown(names: readonly string[], knownAnalyses: AcceptancePorts['knownAnalyses']): Promise<void> {
  if (names.length === 0) return;
  const known = await knownAnalyses();
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new Problem(
    'UNKNOWN_ANALYSIS',
    `There is no analysis ${unknown.slice(0, 5).join(', ')}. Choose from ${known.join(', ') || 'none, for none is deployed'}.`,
    { extensions: { unknown: unknown.slice(0, 5), known } },
  );
}

/** Semantics §2: inline up to 16 KiB of UTF-8, and only below confidential. */
function isInline(text: string, sensitivity: DocumentRequest['sensitivity']): boolean {
  const isConfidential = sensitivity === 'CONFIDENTIAL' || sensitivity === 'RESTRICTED';
  return !isConfidential && Buffer.byteLength(text) <= inlineTextMaxBytes;
}

interface Description {
  request: DocumentRequest;
  sender: Sender;
  text: string;
  deadlineMs: number;
}

type Bounds = Pick<AcceptancePorts, 'graceMs' | 'limits'>;

function describe({ request, sender, text, deadlineMs }: Description, { graceMs, limits }: Bounds): NewDocument {
  const { documentId, analyses, metadata, mediaType, charset, priority, sensitivity, sourceEventId, stream } = request;
  const hash = textSha256(text);
  return {
    ...sender,
    documentId: documentId ?? null,
    contentSha256: contentSha256Of({ textSha256: hash, mediaType, sensitivity, metadata }),
    textSha256: hash,
    text: null,
    textRef: null,
    mediaType,
    charset,
    language: null,
    metadata,
    deadlineMs,
    graceMs,
    limits,
    priority,
    sensitivity,
    stream,
    requestedAnalyses: analyses,
    sourceEventId: sourceEventId ?? null,
  };
}

/** The revision is minted by the transaction, so each upload has an object of its own; one that is not needed is removed. */
async function acceptStored(ports: AcceptancePorts, document: NewDocument, text: string): Promise<AcceptedDocument> {
  const { tenantId, documentId, textSha256: hash } = document;
  const upload = { tenantId, documentId: documentId ?? documentIdOf(hash), revision: randomUUID(), name: 'text' };
  const textRef: ContentRef = await ports.store.put(objectKey(upload), Buffer.from(text, 'utf8'));
  reach('acceptance.text-stored');
  try {
    const accepted = await acceptOrExplain(ports, { ...document, textRef });
    if (!accepted.created || accepted.replayed) discard(ports.store, textRef);
    return accepted;
  } catch (error) {
    // After a broken connection the commit may have happened, and the document may refer to the object.
    if (!(error instanceof DependencyUnavailable)) discard(ports.store, textRef);
    throw error;
  }
}

/** Not awaited, and its failure is not the caller's: an object that nothing refers to is swept. */
function discard(store: ObjectStore, ref: ContentRef): void {
  store.remove(ref.key).catch(() => undefined);
}

/** What the transaction refuses although it was checked before, such as an analysis that has just been withdrawn. */
async function acceptOrExplain(
  { accept, onLimitReached }: AcceptancePorts,
  document: NewDocument,
): Promise<AcceptedDocument> {
  try {
    return await accept(document);
  } catch (error) {
    if (!(error instanceof PoisonMessage)) throw keyProblemOf(error) ?? limitProblemOf(error, onLimitReached) ?? error;
    throw new Problem('INVALID_REQUEST', error.message, { cause: error });
  }
}
