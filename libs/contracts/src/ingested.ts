import { PoisonMessage } from '@anabranch/failures';
import type { ContentRef, DocumentIngested } from './generated/events.generated.js';
import { ingestedEventIdOf, jobIdOf } from './ids.js';
import { deadlineMaxMs, idMaxLength, requestedAnalysesMax, timestampMaxMs } from './limits.js';

/**
 * Checks what a schema cannot say of a `document.ingested`, and fills what a foreign producer may leave empty: `eventId`,
 * `jobId`, `correlationId`. Whether the tenant exists is for the reader to find out.
 * @throws PoisonMessage INVALID_EVENT, KEY_MISMATCH or JOB_ID_MISMATCH
 */
export function completeIngested(event: DocumentIngested, record: { key: string | Buffer | null }): DocumentIngested {
  checkFields(event);
  if (event.textRef !== null) checkRef(event.textRef, event.tenantId);
  checkKey(event.documentId, record.key);
  const jobId = jobIdOf(event);
  if (event.jobId !== '' && event.jobId !== jobId) {
    throw new PoisonMessage(
      'JOB_ID_MISMATCH',
      `jobId is not ${jobId}, which follows from tenant, document and revision.`,
    );
  }
  return {
    ...event,
    jobId,
    eventId: event.eventId || ingestedEventIdOf(jobId),
    correlationId: event.correlationId || jobId,
    requestedAnalyses: [...new Set(event.requestedAnalyses)],
  };
}

function checkFields(event: DocumentIngested): void {
  const { tenantId, documentId, revision, occurredAt, deadlineMs, requestedAnalyses } = event;
  expect(isId(tenantId), `tenantId must be 1 to ${idMaxLength} characters, none of them a control character`);
  expect(!/[/\\]|^\.{1,2}$/.test(tenantId), 'tenantId must not be a path');
  expect(isId(documentId), `documentId must be 1 to ${idMaxLength} characters, none of them a control character`);
  expect(revision >= 0, 'revision must not be negative');
  expect(occurredAt >= 0 && occurredAt <= timestampMaxMs, 'occurredAt must lie between 1970 and 9999');
  expect(deadlineMs >= 0 && deadlineMs <= deadlineMaxMs, `deadlineMs must be 0 to ${deadlineMaxMs}`);
  expect(requestedAnalyses.length <= requestedAnalysesMax, `requestedAnalyses must be at most ${requestedAnalysesMax}`);
  expect(requestedAnalyses.every(isAnalysisName), 'requestedAnalyses must hold names such as entity-extraction');
  expect(event.text !== null || event.textRef !== null, 'text or textRef must be given');
  expect(!holdsNul(event), 'only text may hold the character NUL');
}

/** Control characters would break logs, headers and keys of stores; lone surrogates have no UTF-8. */
const isId = (id: string): boolean =>
  id.length > 0 && id.length <= idMaxLength && id.isWellFormed() && !/\p{Cc}/u.test(id);

const isAnalysisName = (name: string): boolean => /^[a-z][a-z0-9-]{0,63}$/.test(name);

/** Postgres stores no NUL. Text is cleaned by every reader; labels and ids are kept as they are, so they must not have it. */
function holdsNul({ eventId, correlationId, causationId, textSha256, metadata, ...event }: DocumentIngested): boolean {
  const optional = [event.sourceEventId, event.mediaType, event.charset, event.language];
  return [eventId, correlationId, causationId, textSha256, ...optional, ...Object.entries(metadata).flat()].some(
    (value) => value?.includes('\0') ?? false,
  );
}

/** A claim check names content of its tenant in the configured store, never a URL or a path out of it. */
function checkRef({ key, sha256, bytes }: ContentRef, tenantId: string): void {
  const [tenant, ...rest] = key.split('/');
  expect(tenant === tenantId && rest.length > 0, 'textRef.key must begin with the tenant id and a slash');
  expect(
    rest.every((part) => !['', '.', '..'].includes(part)),
    'textRef.key must not hold empty, . or .. parts',
  );
  expect(!/[\p{Cc}\\]/u.test(key), 'textRef.key must not hold control characters or backslashes');
  expect(/^[0-9a-f]{64}$/.test(sha256), 'textRef.sha256 must be 64 lower-case hex digits');
  expect(bytes >= 0, 'textRef.bytes must not be negative');
}

function checkKey(documentId: string, key: string | Buffer | null): void {
  const bytes = typeof key === 'string' ? Buffer.from(key, 'utf8') : key;
  if (bytes === null || !bytes.equals(Buffer.from(documentId, 'utf8'))) {
    throw new PoisonMessage('KEY_MISMATCH', `The record key is ${bytes === null ? 'empty' : 'not the documentId'}.`);
  }
}

function expect(holds: boolean, rule: string): void {
  if (!holds) throw new PoisonMessage('INVALID_EVENT', `The event breaks a rule: ${rule}.`);
}
