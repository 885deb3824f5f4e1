import { BadOutput, defineReply } from '@anabranch/analysis-runtime/definition';
import { cleanText, sentenceSpans } from '@anabranch/text';
import { z } from 'zod';

/** What a model is asked for. */
export const summaryReply = defineReply(
  'summary',
  z.object({ summary: z.string().describe('The summary: a few plain sentences.') }),
);

/** Longest summary that is taken; a longer one ends with the last sentence that fits. */
export const maxSummaryCharacters = 2_000;

function shorten(text: string): string {
  if (text.length <= maxSummaryCharacters) return text;
  let end = 0;
  for (const sentence of sentenceSpans(text)) {
    if (sentence.end > maxSummaryCharacters) break;
    end = sentence.end;
  }
  return end > 0 ? text.slice(0, end) : text.slice(0, maxSummaryCharacters).toWellFormed();
}

/** Reads a reply: on one line, without control characters. @throws BadOutput also when it is empty */
export function readSummary(value: unknown): string {
  const { summary } = summaryReply.read(value);
  const text = shorten(cleanText(summary).replace(/\s+/gu, ' ').trim());
  if (text === '') throw new BadOutput('summary must not be empty');
  return text;
}
