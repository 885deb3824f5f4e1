import { z } from 'zod';

const withoutCredentials = (value: string): boolean => {
  const url = URL.parse(value);
  return url !== null && url.username === '' && url.password === '';
};

/** Where a model is and how it is asked. None is needed while no analysis uses one. */
export const modelConfig = z.object({
  modelBaseUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .refine(withoutCredentials, 'must hold no user or password: the key has a setting of its own')
    .optional()
    .describe('the address of an OpenAI-compatible server, up to and without /chat/completions'),
  model: z.string().trim().min(1).max(200).optional().describe('the model, as its server calls it'),
  modelApiKey: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
    .optional()
    .describe('the key for the server of the model; a server of your own may need none')
    .meta({ secret: true }),
  modelProvider: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'lower-case letters, digits, ".", "_" and "-"; at most 64')
    .default('openai-compatible')
    .describe('a name for who runs the model; it stands in results, and a stored answer counts for that name only'),
  modelTimeoutMs: z.coerce
    .number()
    .int()
    .min(100)
    .max(290_000)
    .default(120_000)
    .describe('the milliseconds that one call of the model may take'),
  modelTemperature: z
    .union([z.literal('provider'), z.coerce.number().min(0).max(2)])
    .default(0)
    .describe('the temperature; "provider" leaves it to models that accept no other than their own'),
  modelOutputLimitField: z
    .enum(['max_tokens', 'max_completion_tokens'])
    .default('max_tokens')
    .describe('what the server calls the limit of output tokens; newer models of OpenAI: max_completion_tokens'),
  modelChunkCharacters: z.coerce
    .number()
    .int()
    .min(4_000)
    .max(2_000_000)
    .default(16_000)
    .describe('the characters of a document that are sent in one call; longer documents take several'),
  modelMaxCharacters: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(10_000_000)
    .default(1_000_000)
    .describe('the longest document that a model is asked about, in characters; a longer one is TEXT_TOO_LARGE'),
  modelPatienceMs: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(31_536_000_000)
    .default(259_200_000)
    .describe(
      'the milliseconds for which a run is tried again and again while its model is down; after that it fails, and is a dead letter',
    ),
  modelMaxInFlight: z.coerce
    .number()
    .int()
    .min(1)
    .max(5_000)
    .default(256)
    .describe('the documents that an analysis with a model works at a time; they wait rather than compute'),
});

export type ModelConfig = z.infer<typeof modelConfig>;
