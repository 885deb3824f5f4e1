// What the module of a definition needs, and no more: worker threads load it, and none of Kafka, Nest and the host.
export {
  defineAnalysis,
  type AnalyseContext,
  type Analysed,
  type AnalysedDocument,
  type AnalysisDefinition,
  type AnalysisName,
  type AnyAnalysis,
  type ResultInputOf,
} from './define-analysis.js';
export { BadOutput } from './model/bad-output.js';
export { defineReply, type ReplyShape } from './model/define-reply.js';
export {
  ask,
  askAll,
  type LanguageModelUse,
  type ModelPrompt,
  type ModelSteps,
  type PromptContext,
  type Question,
} from './model/model-prompt.js';
export { type AnsweredChunk, askPerChunk, type Chunk, readChunks } from './model/read-chunks.js';
export { requireLanguage } from './document-language.js';
export type { RulesKind, TenantRules } from './rules/tenant-rules.js';
export { inSlices } from './turns.js';
