import { PoisonMessage } from '@anabranch/failures';
import { expect } from './content-ref.js';
import type { AnalysisRequested, DocumentIngested } from './generated/events.generated.js';
import { completeIngested, isTime } from './ingested.js';

/** A run that was asked for, and the document that it is about. */
export interface RequestedRun {
  /** The document as `document.ingested` would say it; its event id is the command's. */
  readonly document: DocumentIngested;
  readonly run: number;
  /** Whether an answer that was bought before is bought again. */
  readonly isFresh: boolean;
  /** When it was asked for first, by the broker's clock in epoch milliseconds. */
  readonly askedAt: number;
}

/**
 * Checks what a schema cannot say of an `analysis.NAME.requested`.
 * @throws PoisonMessage INVALID_EVENT, KEY_MISMATCH or JOB_ID_MISMATCH
 */
export function completeRequested(
  event: AnalysisRequested,
  record: { key: string | Buffer | null; timestamp: number },
): RequestedRun {
  const { run, fresh, cause: _, askedAt, ...rest } = event;
  expect(run >= 1, 'run must be at least 1');
  expect(isTime(askedAt ?? 0), 'askedAt must lie between 1970 and 9999');
  const document = { ...rest, requestedAnalyses: [], deadlineMs: 0, sourceEventId: null };
  if (event.eventId === '') throw new PoisonMessage('INVALID_EVENT', 'eventId must be given.');
  return { document: completeIngested(document, record), run, isFresh: fresh, askedAt: askedAt ?? record.timestamp };
}
