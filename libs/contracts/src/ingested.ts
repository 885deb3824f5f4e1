import { PoisonMessage } from '@anabranch/failures';
import { checkContentRef, expect } from './content-ref.js';
import type { DocumentIngested } from './generated/events.generated.js';
import { ingestedEventIdOf, jobIdOf } from './ids.js';
import {
  charsetMaxLength,
  deadlineMaxMs,
  idMaxLength,
  languageMaxLength,
  mediaTypeMaxLength,
  metadataMaxBytes,
  metadataMaxKeys,
  requestedAnalysesMax,
  revisionMax,
  timestampMaxMs,
} from './limits.js';

/**
 * Checks what a schema cannot say of a `document.ingested`, and fills what a foreign producer may leave empty: `eventId`,
 * `jobId`, `correlationId`. Whether the tenant exists is for the reader to find out.
 * @throws PoisonMessage INVALID_EVENT, KEY_MISMATCH or JOB_ID_MISMATCH
 */
export function completeIngested(event: DocumentIngested, record: { key: string | Buffer | null }): DocumentIngested {
  checkFields(event);
  checkLabels(event);
  if (event.textRef !== null) checkContentRef('textRef', event.textRef, event.tenantId);
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

/** Whether epoch milliseconds name a time that everything here can write. */
export const isTime = (ms: number): boolean => ms >= 0 && ms <= timestampMaxMs;

function checkFields(event: DocumentIngested): void {
  const { tenantId, documentId, revision, occurredAt, deadlineMs, requestedAnalyses } = event;
  expect(isId(tenantId), `tenantId must be 1 to ${idMaxLength} characters, none of them a control character`);
  expect(!/[/\\]|^\.{1,2}$/.test(tenantId), 'tenantId must not be a path');
  expect(isId(documentId), `documentId must be 1 to ${idMaxLength} characters, none of them a control character`);
  expect(revision >= 0 && revision <= revisionMax, `revision must be 0 to ${revisionMax}`);
  expect(isTime(occurredAt), 'occurredAt must lie between 1970 and 9999');
  expect(deadlineMs >= 0 && deadlineMs <= deadlineMaxMs, `deadlineMs must be 0 to ${deadlineMaxMs}`);
  expect(requestedAnalyses.length <= requestedAnalysesMax, `requestedAnalyses must be at most ${requestedAnalysesMax}`);
  expect(requestedAnalyses.every(isAnalysisName), 'requestedAnalyses must hold names such as entity-extraction');
  expect(event.text !== null || event.textRef !== null, 'text or textRef must be given');
  expect(!holdsNul(event), 'only text may hold the character NUL');
}

/** What is kept as it is, and repeated in every outcome or result: unbounded, it would make events that no broker takes. */
function checkLabels({ textSha256, metadata, ...event }: DocumentIngested): void {
  const lengths = [
    ['eventId', idMaxLength],
    ['correlationId', idMaxLength],
    ['causationId', idMaxLength],
    ['sourceEventId', idMaxLength],
    ['language', languageMaxLength],
    ['charset', charsetMaxLength],
    ['mediaType', mediaTypeMaxLength],
  ] as const;
  for (const [field, maxLength] of lengths) {
    expect((event[field]?.length ?? 0) <= maxLength, `${field} must be at most ${maxLength} characters`);
  }
  expect(/^([0-9a-f]{64})?$/.test(textSha256), 'textSha256 must be 64 lower-case hex digits, or empty');
  expect(Object.keys(metadata).length <= metadataMaxKeys, `metadata must have at most ${metadataMaxKeys} keys`);
  const metadataBytes = Buffer.byteLength(JSON.stringify(metadata));
  expect(metadataBytes <= metadataMaxBytes, `metadata must be at most ${metadataMaxBytes} bytes as JSON`);
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

function checkKey(documentId: string, key: string | Buffer | null): void {
  const bytes = typeof key === 'string' ? Buffer.from(key, 'utf8') : key;
  if (bytes === null || !bytes.equals(Buffer.from(documentId, 'utf8'))) {
    throw new PoisonMessage('KEY_MISMATCH', `The record key is ${bytes === null ? 'empty' : 'not the documentId'}.`);
  }
}
