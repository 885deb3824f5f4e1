export { describeAnalysis, type AnalysisFixtures } from './describe-analysis.js';
export { describeEnglishOnly } from './describe-english-only.js';
export { describeModelAnalysis, outcomeWith, type Said } from './describe-model-analysis.js';
export { longestBlockMs } from './event-loop.js';
export {
  createHarness,
  ingestedRecord,
  type AnalysisHarness,
  type HarnessModel,
  type HarnessOptions,
  type Published,
} from './harness.js';
export { createMemoryModelCalls, type MemoryModelCalls } from './memory-model-calls.js';
export { createMemoryRulesReader, type MemoryChange, type MemoryRulesReader } from './memory-rules-reader.js';
export { readReplies, type ModelFixtures, type ReplyFixtures } from './model-subject.js';
export { claimsIn, codePoints, type Claim } from './offsets.js';
export { runAtOnce } from './run-at-once.js';
export { createTestWorker } from './test-worker.js';
