import { defineReply, type ReplyShape } from '@anabranch/analysis-runtime/definition';
import type { Taxonomy } from '@anabranch/rules';
import { z } from 'zod';

const shapeOf = (names: [string, ...string[]]) =>
  z.object({
    labels: z
      .array(
        z.object({
          name: z.enum(names),
          score: z.number().min(0).max(1).describe('How well the label fits the text, from 0 to 1.'),
          quotes: z.array(z.string()).describe('Verbatim: a few words that speak for the label; at most three.'),
        }),
      )
      .describe('The labels that fit at all, best first.'),
  });

/** What a model says about one label. */
export interface ScoredLabel {
  name: string;
  score: number;
  quotes: string[];
}

type Reply = z.output<ReturnType<typeof shapeOf>>;

const replies = new WeakMap<Taxonomy, ReplyShape<Reply>>();

/** What a model is asked for: labels of this taxonomy and no others. It has at least one. */
export function classificationReply(taxonomy: Taxonomy): ReplyShape<Reply> {
  const known = replies.get(taxonomy);
  if (known !== undefined) return known;
  const names = taxonomy.labels.map(({ name }) => name) as [string, ...string[]];
  const reply = defineReply('classification', shapeOf(names));
  replies.set(taxonomy, reply);
  return reply;
}

/** Most quotes of one label that are looked for, and the longest. */
const maxQuotes = 5;
const maxQuoteCharacters = 300;

/** Reads a reply about one chunk; of a label that is named twice the first counts. @throws BadOutput */
export function readLabels(taxonomy: Taxonomy, value: unknown): ScoredLabel[] {
  const labels = new Map<string, ScoredLabel>();
  for (const { name, score, quotes } of classificationReply(taxonomy).read(value).labels) {
    if (labels.has(name)) continue;
    const usable = quotes.filter(({ length }) => length <= maxQuoteCharacters).slice(0, maxQuotes);
    labels.set(name, { name, score, quotes: usable });
  }
  return [...labels.values()];
}
