import { z } from 'zod';
import type { FinishReason, JsonObject, ModelReply, ModelRequest, ModelUsage } from './model-port.js';

/** What servers call the limit of a reply's tokens: the older name, or that of OpenAI's newer models. */
export type OutputLimitField = 'max_tokens' | 'max_completion_tokens';

/** The body of `POST /chat/completions` for a request. */
export function completionBody(request: ModelRequest, outputLimitField: OutputLimitField): JsonObject {
  const { model, parameters, messages, schema } = request;
  const { maxOutputTokens, temperature } = parameters;
  return {
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    [outputLimitField]: maxOutputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    response_format: {
      type: 'json_schema',
      json_schema: { name: schema.name, strict: true, schema: schema.jsonSchema },
    },
    stream: false,
  };
}

const count = z.number().int().nonnegative();

const usageSchema = z
  .object({
    prompt_tokens: count,
    completion_tokens: count,
    prompt_tokens_details: z.object({ cached_tokens: count.nullish() }).nullish(),
  })
  .nullish()
  .catch(null);

const textPart = z.object({ type: z.string(), text: z.string().nullish() });

const completionSchema = z.object({
  id: z.string().nullish().catch(null),
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          content: z.union([z.string(), z.array(textPart)]).nullish(),
          refusal: z.string().nullish(),
        }),
      }),
    )
    .min(1),
  usage: usageSchema,
});

type Choice = z.output<typeof completionSchema>['choices'][number];

const usageFrom = (usage: z.output<typeof usageSchema>): ModelUsage | null =>
  usage === null || usage === undefined
    ? null
    : {
        inputTokens: usage.prompt_tokens,
        outputTokens: usage.completion_tokens,
        cachedInputTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
      };

const finishReasonOf = ({ finish_reason: reason, message }: Choice): FinishReason | null => {
  if (reason === 'content_filter') return 'content-filter';
  if (message.refusal) return 'refusal';
  if (reason === 'length') return 'length';
  return reason === 'error' ? null : 'stop';
};

const textOf = ({ message: { content } }: Choice): string => {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('');
};

/** A completion that was read, or what was billed for one that is none. */
export type ReadCompletion =
  { reply: Omit<ModelReply, 'latencyMs'> } | { reply: null; usage: ModelUsage | null; error: unknown };

/**
 * Reads the body of a response with status 200. A body that is no completion is no answer; `error` is what stands in its
 * place when it says so itself.
 */
export function readCompletion(body: unknown): ReadCompletion {
  const parsed = completionSchema.safeParse(body);
  const choice = parsed.data?.choices[0];
  const finishReason = choice === undefined ? null : finishReasonOf(choice);
  if (parsed.data === undefined || choice === undefined || finishReason === null) {
    const { usage, error } = z
      .object({ usage: usageSchema, error: z.unknown().optional() })
      .catch({ error: undefined })
      .parse(body);
    return { reply: null, usage: usageFrom(usage), error };
  }
  const text = finishReason === 'stop' || finishReason === 'length' ? textOf(choice) : '';
  const { id = null, usage } = parsed.data;
  return { reply: { text, finishReason, usage: usageFrom(usage), providerRequestId: id } };
}
