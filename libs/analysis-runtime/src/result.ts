import {
  type AnalysisFinished,
  type AnalysisFinishedInput,
  analysisTopic,
  fillDefaults,
  renderResult,
  resultInlineMaxBytes,
} from '@anabranch/contracts';
import { describeFailure, PoisonMessage } from '@anabranch/failures';

/** An outcome, and its result as JSON when it is too large for the event. */
export interface PackedOutcome {
  event: AnalysisFinishedInput;
  content: Uint8Array | null;
}

/**
 * Checks an outcome against its schema and fills the defaults, so that every reader sees the same result.
 * @throws PoisonMessage HANDLER_FAILED: an engine that breaks its schema is a bug, and a second try would break it again
 */
export function checkOutcome(analysis: string, event: AnalysisFinishedInput): AnalysisFinished {
  try {
    return fillDefaults(analysisTopic(analysis), event);
  } catch (cause) {
    const message = `The result of ${analysis} breaks its schema. ${describeFailure(cause).message}`;
    throw new PoisonMessage('HANDLER_FAILED', message, { cause });
  }
}

/** Largest result as JSON, in bytes: what readers can well hold. */
export const maxResultBytes = 67_108_864;

/**
 * Takes a result that is too large for an event out of it, as JSON in the form that all readers get.
 * @throws PoisonMessage RESULT_TOO_LARGE
 */
export function packResult(analysis: string, finished: AnalysisFinished): PackedOutcome {
  const json = Buffer.from(JSON.stringify(renderResult(analysis, finished.outcome.result)), 'utf8');
  if (json.length <= resultInlineMaxBytes) return { event: finished, content: null };
  if (json.length > maxResultBytes) {
    const message = `The result has ${json.length} bytes, more than ${maxResultBytes}. Send the document in parts.`;
    throw new PoisonMessage('RESULT_TOO_LARGE', message);
  }
  return { event: { ...finished, outcome: { ...finished.outcome, result: null } }, content: json };
}
