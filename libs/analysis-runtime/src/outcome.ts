import {
  type AnalysisFinishedInput,
  type CoverageInput,
  type DocumentIngested,
  type OutcomeInput,
  outcomeIdOf,
} from '@anabranch/contracts';
import type { AnyAnalysis } from './define-analysis.js';

/** The run that `document.ingested` asks for. */
export const firstRun = 1;

export interface OutcomeFacts {
  definition: Pick<AnyAnalysis, 'name' | 'engine'>;
  /** As `completeIngested` returned it. */
  event: DocumentIngested;
  run: number;
  /** BCP 47 tag of the text's language, when it is known. */
  language: string | null;
  /** Hash of the cleaned text; empty when it is not known. */
  textSha256: string;
  /** Epoch milliseconds. */
  occurredAt: number;
  outcome: OutcomeInput;
}

/** The event of an outcome. Its id follows from job, analysis, run and status: a repeat is the same fact. */
export function finishedEvent(facts: OutcomeFacts): AnalysisFinishedInput {
  const { definition, event, run, language, textSha256, occurredAt, outcome } = facts;
  const { tenantId, documentId, revision, jobId, correlationId } = event;
  return {
    eventId: outcomeIdOf({ jobId, analysis: definition.name, run, status: outcome.status }),
    tenantId,
    documentId,
    revision,
    jobId,
    correlationId,
    causationId: event.eventId,
    occurredAt,
    run,
    textSha256,
    language,
    engine: definition.engine,
    outcome,
  };
}

/** Coverage of an analysis that read all of a text of so many code points. */
export function wholeText(characters: number): CoverageInput {
  return { charactersRead: characters, charactersTotal: characters, truncated: false };
}
