export {
  isPublished,
  isSettled,
  jobStates,
  mayMove,
  publishedStates,
  transitions,
  unsettledStates,
  type JobState,
  type SettledState,
} from './transitions.js';
export { compareOutcomes, outcomeStatuses, takesEffect, type Outcome, type OutcomeStatus } from './outcome.js';
export {
  effectiveOutcomes,
  outstandingAnalyses,
  wantedRunOf,
  type Fact,
  type Job,
  type JobAnalysis,
  type JobEvent,
  type Settled,
} from './job.js';
export { decide, mayRunAgain } from './decide.js';
export { evolve } from './evolve.js';
export { openingOf, type DocumentBefore, type Opening, type RunningJob } from './opening.js';
export {
  receiptOf,
  type OutcomeDetails,
  type OutcomeEntry,
  type Receipt,
  type ReceiptLines,
  type WaitingEntry,
} from './receipt.js';
export { asConstant, canonicalJson } from './canonical-json.js';
export { outcomeDigest, resultDigest, type OutcomeContent } from './digest.js';
