import { ask, askAll, type ModelPrompt, type ModelSteps, readChunks } from '@anabranch/analysis-runtime/definition';
import { sentenceSpans } from '@anabranch/text';
import { askForSummary } from './summary.prompt.js';

/** Summaries side by side, as many as fit into one question; at least two, so that their number falls. */
function gather(parts: readonly string[], maxCharacters: number): string[][] {
  const groups: string[][] = [];
  for (const part of parts) {
    const group = groups.at(-1);
    const length = (group ?? []).reduce((sum, other) => sum + other.length + 2, 0);
    if (group !== undefined && (group.length < 2 || length + part.length <= maxCharacters)) group.push(part);
    else groups.push([part]);
  }
  return groups;
}

/** Makes one summary of several, level by level. */
function* reduce(parts: readonly string[], maxCharacters: number): ModelSteps<string> {
  let level = parts;
  while (level.length > 1) {
    const groups = gather(level, maxCharacters);
    const alone = groups.at(-1)?.length === 1 ? groups.pop() : undefined;
    const answers = yield* askAll(groups.map((group) => askForSummary(group.join('\n\n'), 'parts')));
    level = [...answers, ...(alone ?? [])];
  }
  return level[0] ?? '';
}

function* countSentences(text: string): Generator<void, number> {
  let count = 0;
  for (const _ of sentenceSpans(text)) {
    count += 1;
    yield;
  }
  return count;
}

/**
 * A summary in the model's own words. A long document is summarised part by part, and the summaries are, too, until one is
 * left. Its sentences have no offsets: they stand nowhere in the document.
 */
export const summariseByModel: ModelPrompt<'summary'> = {
  version: '1',
  *answer({ text }, { chunkCharacters }) {
    const chunks = yield* readChunks(text, chunkCharacters);
    const sentences = yield* countSentences(text);
    const [first] = chunks;
    const isLong = chunks.length > 1 || first === undefined;
    const summary = isLong
      ? yield* reduce(yield* askAll(chunks.map((chunk) => askForSummary(chunk.text, 'part'))), chunkCharacters)
      : yield* ask(askForSummary(first.text, 'document'));
    const result = {
      kind: 'ABSTRACTIVE' as const,
      text: summary,
      sentences: Array.from(sentenceSpans(summary), ({ begin, end }) => ({ text: summary.slice(begin, end) })),
      coverage: {
        strategy: isLong ? 'map-reduce' : 'single',
        chunks: chunks.length,
        sentencesRead: sentences,
        sentencesTotal: sentences,
      },
    };
    return { result };
  },
};
