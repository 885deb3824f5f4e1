import type { Question } from '@anabranch/analysis-runtime/definition';
import { type JudgedChunk, readJudgement, sentimentReply } from './sentiment.reply.js';

const instructions = `Judge the sentiment of the text: what its author feels about the subject. POSITIVE and NEGATIVE say that one side outweighs the other, MIXED that both have weight, NEUTRAL that the text reports or asks without either. Understand irony and negation as a reader would. Quote the words that show it; a text without sentiment has none.`;

/** A question about a text, whose answer is its sentiment. */
export function askForSentiment(text: string): Question<JudgedChunk> {
  return {
    instructions,
    text,
    schema: sentimentReply.schema,
    maxOutputTokens: 1_200,
    read: readJudgement,
  };
}
