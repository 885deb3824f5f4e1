export { acceptDocument } from './accept.js';
export { contentSha256Of, type Content } from './content.js';
export { documentIdOf, type AcceptedDocument, type NewDocument } from './new-document.js';
export {
  assemble,
  type Assembled,
  type AssemblyFact,
  type FactResult,
  type OpenedDocument,
  type RecordedOutcome,
} from './assemble.js';
export {
  deferRun,
  dueDependencies,
  followReleased,
  releaseRuns,
  type DeferredRun,
  type ReleasedRuns,
  type RunAddress,
} from './deferred.js';
export { documentKey } from './documents.js';
export { overdueJobs, passDeadlines, type OverdueJob } from './deadlines.js';
export { rebuildJobs, type Rebuilt, type RebuildOptions } from './rebuild.js';
export type { SettledJob } from './save.js';
export type { JobView } from './job-view.js';
export {
  getHistory,
  getJob,
  getText,
  listJobs,
  settledJobs,
  type HistoryEvent,
  type HistoryRange,
  type JobFilter,
  type JobPage,
  type JobText,
} from './read-jobs.js';
export {
  getDocument,
  listRevisions,
  type RevisionPage,
  type RevisionRange,
  type RevisionView,
} from './read-documents.js';
export { InvalidCursor } from './cursor.js';
export { jobTimesConfig } from './job-times.config.js';
export { getResult, type JobResult } from './read-result.js';
export { getReasons, type Deferral, type JobReasons, type OutstandingRun, type UnpublishedEvent } from './read-why.js';
export {
  readEnrichedEvents,
  readIngestedEvents,
  readRequestedEvents,
  type RenderedCommand,
  type RenderedEvent,
} from './outbox-events.js';
export {
  cancelJob,
  commandOutbox,
  requestRun,
  type CancelAnswer,
  type CancelRequest,
  type JobAddress,
  type RunAnswer,
  type RunRequest,
} from './commands.js';
