// From records to facts. Invariant: a fact is about the document that its record's key, ids and text say it is about.
import {
  completeIngested,
  jobIdOf,
  parseTraceparent,
  type AnalysisFinished,
  type DocumentIngested,
  type TopicDefinition,
} from '@anabranch/contracts';
import type { OpenedDocument, RecordedOutcome } from '@anabranch/database/jobs';
import { PoisonMessage } from '@anabranch/failures';
import { headerText, type IncomingRecord } from '@anabranch/kafka';
import type { ObjectStore } from '@anabranch/object-store';
import { cleanText, textSha256 } from '@anabranch/text';

/** What of a record, besides its event, makes a fact. */
export type RecordFacts = Pick<IncomingRecord, 'key' | 'headers' | 'timestamp'>;

export interface ReadingOptions {
  store: Pick<ObjectStore, 'get'>;
  /** For documents that name no deadline. */
  defaultDeadlineMs: number;
  /** How long a document may be without a published result; null: its deadline. */
  graceMs: number | null;
}

/**
 * The opening of a document.
 * @throws PoisonMessage for an event that breaks a rule of `document.ingested`; DependencyUnavailable for the object store
 */
export async function openedDocument(
  event: DocumentIngested,
  record: RecordFacts,
  { store, defaultDeadlineMs, graceMs }: ReadingOptions,
): Promise<OpenedDocument> {
  const complete = completeIngested(event, record);
  const text = complete.text === null ? null : cleanText(complete.text);
  const digest = complete.textSha256 || (await digestOf({ ...complete, text }, store));
  const header = headerText(record, 'traceparent');
  return {
    type: 'opened',
    event: { ...complete, text, textSha256: digest },
    receivedAt: record.timestamp,
    defaultDeadlineMs,
    graceMs,
    traceparent: header !== undefined && parseTraceparent(header) ? header : null,
  };
}

/**
 * The digest that the producer left out. Content that is missing or damaged has none, and is no reason to dead-letter the
 * document: the analyses say so in their outcomes, and its job settles with them.
 */
async function digestOf(
  { text, textRef, tenantId }: DocumentIngested,
  store: ReadingOptions['store'],
): Promise<string> {
  if (text !== null) return textSha256(text);
  if (textRef === null) return '';
  try {
    return textSha256(cleanText((await store.get(textRef, tenantId)).toString('utf8')));
  } catch (error) {
    if (error instanceof PoisonMessage) return '';
    throw error;
  }
}

/**
 * An outcome of the analysis whose topic it came by.
 * @throws PoisonMessage KEY_MISMATCH or JOB_ID_MISMATCH
 */
export function recordedOutcome(
  topic: TopicDefinition,
  event: AnalysisFinished,
  { key }: RecordFacts,
): RecordedOutcome {
  const { analysis, resultSchema } = topic;
  if (analysis === null || resultSchema === null) throw new Error(`${topic.name} carries no results of an analysis.`);
  if (!key?.equals(Buffer.from(event.documentId, 'utf8'))) {
    throw new PoisonMessage('KEY_MISMATCH', 'The record key is not the documentId.');
  }
  if (event.jobId !== jobIdOf(event)) {
    throw new PoisonMessage('JOB_ID_MISMATCH', 'jobId is not the one that follows from tenant, document and revision.');
  }
  return { type: 'outcome', analysis, resultSchema, event };
}
