export { completeIngested } from './ingested.js';
export { createDecoder, encodeValue, fillDefaults, type Decoder, type EncodableOf } from './codec.js';
export { readHeader } from './wire.js';
export {
  commandIdOf,
  ingestedEventIdOf,
  jobIdOf,
  keyWithin,
  namespaceUuid,
  outcomeIdOf,
  settlementIdOf,
  uuidV5,
  type CommandKey,
  type JobKey,
  type OutcomeKey,
} from './ids.js';
export { checkContentRef } from './content-ref.js';
export {
  charsetMaxLength,
  deadlineMaxMs,
  eventMaxBytes,
  idMaxLength,
  inlineTextMaxBytes,
  languageMaxLength,
  mediaTypeMaxLength,
  metadataMaxBytes,
  metadataMaxKeys,
  requestedAnalysesMax,
  resultInlineMaxBytes,
  revisionMax,
  timestampMaxMs,
} from './limits.js';
export { partitionOf } from './partition.js';
export { redact, type FieldSensitivity } from './redact.js';
export { renderRecord, renderResult, type OffsetTranslation, type SharedRecord } from './result-json.js';
export { analysisTopic, analysisTopics, requestTopic } from './topics.js';
export { completeRequested, type RequestedRun } from './requested.js';
export type { Compatibility, SchemaVersion, TopicDefinition } from './topic-definition.js';
export { childTraceparent, newTraceparent, parseTraceparent, type RandomHex, type TraceParent } from './trace.js';
export {
  topics,
  type AnalysisTopic,
  type EventOf,
  type EventTopic,
  type InputOf,
  type RequestTopic,
  type ResultOf,
  type TopicName,
} from './generated/topics.generated.js';
// Types only, each name unique by `tools/contracts check`: a new schema adds its types without an edit here.
export type * from './generated/events.generated.js';
