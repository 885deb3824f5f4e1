// The tokens under which Nest injects what the service is built from. They are made in service.ts.
import type { Acceptance } from './documents/acceptance.js';
import type { DocumentReader } from './documents/document-reader.js';
import type { ResultWaiting } from './documents/wait-for-result.js';
import type { PostRate } from './documents/tenant-limits.js';
import type { JobCommands } from './jobs/job-commands.js';
import type { JobReader } from './jobs/job-reader.js';
import type { RulesDesk } from './rules/rules-desk.js';
import type { ExplainJob } from './why/explain-job.js';

export const acceptanceToken = Symbol('acceptance');
export const documentReaderToken = Symbol('documentReader');
export const jobReaderToken = Symbol('jobReader');
export const jobCommandsToken = Symbol('jobCommands');
export const explainJobToken = Symbol('explainJob');
export const rulesDeskToken = Symbol('rulesDesk');
export const resultWaitingToken = Symbol('resultWaiting');
export const limitsToken = Symbol('limits');

/** Limits that the controllers apply. */
export interface Limits {
  maxDocumentBytes: number;
  takePost: PostRate;
}

/** What service.ts hands to the module. */
export interface IngestionPorts {
  acceptance: Acceptance;
  documents: DocumentReader;
  jobs: JobReader;
  commands: JobCommands;
  explain: ExplainJob;
  rules: RulesDesk;
  results: ResultWaiting;
  limits: Limits;
}
