import { defineReply } from '@anabranch/analysis-runtime/definition';
import { z } from 'zod';

const share = z.number().min(0).max(1);

const shape = z.object({
  sentiment: z.enum(['POSITIVE', 'NEGATIVE', 'NEUTRAL', 'MIXED']).describe('The sentiment of the text as a whole.'),
  positive: share.describe('How much of the text is positive, from 0 to 1.'),
  negative: share.describe('How much of the text is negative, from 0 to 1.'),
  neutral: share.describe('How much of the text has no sentiment, from 0 to 1.'),
  evidence: z
    .array(
      z.object({
        quote: z.string().describe('Verbatim: the few words that show it.'),
        sentiment: z.enum(['POSITIVE', 'NEGATIVE']),
      }),
    )
    .describe('The words that show the sentiment, at most twenty.'),
});

/** What a model is asked for. */
export const sentimentReply = defineReply('sentiment', shape);

/** A model's judgement of one chunk. */
export interface JudgedChunk {
  sentiment: 'POSITIVE' | 'NEGATIVE' | 'NEUTRAL' | 'MIXED';
  /** Together 1; null when the model gave nothing to any of them. */
  shares: { positive: number; negative: number; neutral: number } | null;
  evidence: { quote: string; sentiment: 'POSITIVE' | 'NEGATIVE' }[];
}

/** Most quotes of one reply that are looked for, and the longest. */
const maxEvidence = 50;
const maxQuoteCharacters = 300;

/** Reads a reply. @throws BadOutput */
export function readJudgement(value: unknown): JudgedChunk {
  const { sentiment, positive, negative, neutral, evidence } = sentimentReply.read(value);
  const total = positive + negative + neutral;
  const shares = { positive: positive / total, negative: negative / total, neutral: neutral / total };
  return {
    sentiment,
    shares: total === 0 ? null : shares,
    evidence: evidence.slice(0, maxEvidence).filter(({ quote }) => quote.length <= maxQuoteCharacters),
  };
}
