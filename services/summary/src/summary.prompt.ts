import type { Question } from '@anabranch/analysis-runtime/definition';
import { readSummary, summaryReply } from './summary.reply.js';

/** What is summarised: a document, one part of a long one, or the summaries of its parts. */
export type Summarised = 'document' | 'part' | 'parts';

const subjects: Readonly<Record<Summarised, string>> = {
  document: 'Summarise the document.',
  part: 'Summarise the text, which is one part of a longer document; what stands before and after it is not known here.',
  parts:
    'The text holds summaries of the parts of one document, in their order. Make one summary of the whole of them.',
};

const rules = `Say in three to five plain sentences what it is about and what it says. State only what stands in it: add no opinion, no advice and nothing from elsewhere. Keep names, numbers and dates as they are. Write in the language of the text, without headings, lists or markup.`;

/** A question about a text, whose answer is a summary. */
export function askForSummary(text: string, what: Summarised): Question<string> {
  return {
    instructions: `${subjects[what]} ${rules}`,
    text,
    schema: summaryReply.schema,
    maxOutputTokens: 800,
    read: readSummary,
  };
}
