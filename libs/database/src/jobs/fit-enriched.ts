// An event that no broker takes would never come. Invariant: the same rows give the same event, so what is left out depends
// on nothing but the event.
import { eventMaxBytes, type AnalysisOutcome, type DocumentEnriched } from '@anabranch/contracts';

/** What stands in the place of what was left out. */
export const leftOut = {
  warnings:
    'Other warnings were left out, for the event would have been too large. GET /v1/jobs/{jobId}/result has them.',
  result: 'resultJson was left out, for the event would have been too large. GET /v1/jobs/{jobId}/result has it.',
} as const;

/**
 * The event, small enough to be published: warnings go first, then results, the longest ones first, each with a warning
 * that says so. What is too large for other reasons is not made smaller.
 */
export function fitEnriched(event: DocumentEnriched): DocumentEnriched {
  if (sizeOf(event) <= eventMaxBytes) return event;
  let fitted = { ...event, outcomes: event.outcomes.map(withoutWarnings) };
  const longestFirst = fitted.outcomes.toSorted((a, b) => lengthOf(b) - lengthOf(a)).map(({ analysis }) => analysis);
  for (const analysis of longestFirst) {
    if (sizeOf(fitted) <= eventMaxBytes) break;
    fitted = {
      ...fitted,
      outcomes: fitted.outcomes.map((outcome) => (outcome.analysis === analysis ? withoutResult(outcome) : outcome)),
    };
  }
  return fitted;
}

const lengthOf = ({ resultJson }: AnalysisOutcome): number => resultJson?.length ?? 0;

function withoutWarnings(outcome: AnalysisOutcome): AnalysisOutcome {
  return outcome.warnings.length === 0 ? outcome : { ...outcome, warnings: [leftOut.warnings] };
}

function withoutResult(outcome: AnalysisOutcome): AnalysisOutcome {
  if (outcome.resultJson === null) return outcome;
  return { ...outcome, resultJson: null, warnings: [...outcome.warnings, leftOut.result] };
}

/** At least the bytes of the value in Avro: a length takes up to 5 bytes, a number up to 10. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 5;
  if (typeof value !== 'object' || value === null) return 10;
  const members = value as Readonly<Record<string, unknown>>;
  let size = 10;
  // The names of a record's fields are not written; those of a map are, so all are counted.
  for (const name of Object.keys(members)) size += Buffer.byteLength(name) + 5 + sizeOf(members[name]);
  return size;
}
