import { z } from 'zod';

const slow = {
  /** Half of the answers take so long; one in twenty takes longer than `p95Ms`; none longer than `capMs`. */
  p50Ms: z.number().positive().default(3_000),
  p95Ms: z.number().positive().default(15_000),
  capMs: z.number().positive().default(60_000),
  /** All times are multiplied by it: 0.1 is ten times as fast. */
  scale: z.number().positive().default(1),
  /** The same seed and request, the same time. */
  seed: z.string().default('anabranch'),
};

/**
 * What the fake server does with a call. `answer` and `slow` answer well; the others are what real providers do at
 * times, each named for what it looks like from outside.
 */
export const behaviourSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('answer'), delayMs: z.number().nonnegative().default(0) }),
  z.strictObject({ kind: z.literal('slow'), ...slow }),
  /** Answers with this text, whatever was asked. */
  z.strictObject({ kind: z.literal('say'), text: z.string() }),
  z.strictObject({
    kind: z.literal('error'),
    status: z.number().int().min(201).max(599),
    /** The header, as it is sent: seconds or a date. */
    retryAfter: z.string().optional(),
    retryAfterMs: z.number().int().optional(),
    /** OpenAI's `error.code`, such as `insufficient_quota` or `context_length_exceeded`. */
    code: z.string().optional(),
  }),
  z.strictObject({ kind: z.literal('error-within-200'), status: z.number().int() }),
  z.strictObject({ kind: z.literal('html') }),
  z.strictObject({ kind: z.literal('refusal') }),
  z.strictObject({ kind: z.literal('content-filter') }),
  z.strictObject({ kind: z.literal('length') }),
  z.strictObject({ kind: z.literal('fenced') }),
  z.strictObject({ kind: z.literal('schema-violation') }),
  z.strictObject({ kind: z.literal('empty') }),
  z.strictObject({ kind: z.literal('broken-json') }),
  z.strictObject({ kind: z.literal('no-choices') }),
  z.strictObject({ kind: z.literal('endless') }),
  z.strictObject({ kind: z.literal('redirect') }),
  z.strictObject({ kind: z.literal('hang') }),
  z.strictObject({ kind: z.literal('reset') }),
  z.strictObject({ kind: z.literal('cut') }),
]);

/** Fields with a default may be left out. */
export type BehaviourInput = z.input<typeof behaviourSchema>;
export type Behaviour = z.output<typeof behaviourSchema>;

/** What the server does: `next` for the calls to come, one each; then, for documents that a rule is for, its behaviour. */
export const scriptSchema = z.strictObject({
  always: behaviourSchema.default({ kind: 'answer', delayMs: 0 }),
  next: z.array(behaviourSchema).default([]),
  rules: z.array(z.strictObject({ contains: z.string().min(1), behaviour: behaviourSchema })).default([]),
});

export type ScriptInput = z.input<typeof scriptSchema>;
export type Script = z.output<typeof scriptSchema>;

/** What happens to the next call, about this document; a `next` is used up. */
export function nextBehaviour(script: Script, document: string): Behaviour {
  const rule = script.rules.find(({ contains }) => document.includes(contains));
  return script.next.shift() ?? rule?.behaviour ?? script.always;
}
