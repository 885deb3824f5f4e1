import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  analysisTopic,
  completeIngested,
  fillDefaults,
  outcomeIdOf,
  type AnalysisFinished,
  type DocumentIngested,
  type InputOf,
  type OutcomeStatus,
} from '@anabranch/contracts';

/** A `document.ingested` as a reader sees it: everything a foreign producer may leave out is filled in. */
export function documentIngested(given: Partial<InputOf['document.ingested']> = {}): DocumentIngested {
  const event = fillDefaults('document.ingested', {
    tenantId: 'acme',
    documentId: randomUUID(),
    revision: 1,
    occurredAt: Date.now(),
    text: 'The invoice of 3 May is wrong. Anna Meyer promised to correct it.',
    ...given,
  });
  return completeIngested(event, { key: event.documentId });
}

/**
 * An outcome of an analysis for a document. A done one has the result of the schema's example; its offsets do not fit
 * the document's text.
 */
export function analysisFinished(
  analysis: string,
  { tenantId, documentId, revision, jobId, correlationId, eventId }: DocumentIngested,
  { run = 1, status = 'DONE' as OutcomeStatus } = {},
): AnalysisFinished {
  const ids = { tenantId, documentId, revision, jobId, correlationId, causationId: eventId };
  const example = readExample(analysis);
  return {
    ...example,
    ...ids,
    eventId: outcomeIdOf({ jobId, analysis, run, status }),
    occurredAt: Date.now(),
    run,
    outcome: outcomeOf(status, example.outcome.result),
  };
}

function readExample(analysis: string): AnalysisFinished {
  const path = new URL(`../../../schemas/${analysisTopic(analysis)}/v1.example.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as AnalysisFinished;
}

function outcomeOf(status: OutcomeStatus, result: unknown): AnalysisFinished['outcome'] {
  const refusal = { code: 'NO_CONTENT', message: 'The document has no text.', provider: null };
  const failure = { code: 'HANDLER_FAILED', message: 'The analysis failed.', attempts: 2 };
  return {
    status,
    result: status === 'DONE' ? result : null,
    refusal: status === 'REFUSED' ? refusal : null,
    failure: status === 'FAILED' ? failure : null,
  };
}
