export { usageOf } from './billed.js';
export type { OutputLimitField } from './chat-completion.js';
export { type ModelConfig, modelConfig } from './model.config.js';
export type {
  FinishReason,
  Json,
  JsonObject,
  ModelCallOptions,
  ModelMessage,
  ModelParameters,
  ModelPort,
  ModelReply,
  ModelRequest,
  ModelUsage,
  ReplySchema,
} from './model-port.js';
export { createOpenAiCompatibleModel, type OpenAiCompatibleOptions } from './openai-compatible.js';
