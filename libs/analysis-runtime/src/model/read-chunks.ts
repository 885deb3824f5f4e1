import { chunkSpans, type Span } from '@anabranch/text';
import { askAll, type ModelSteps, type Question } from './model-prompt.js';

/** A piece of a document, and where it stands, in UTF-16 units. */
export interface Chunk extends Span {
  text: string;
}

/** Cuts a text for a model, between sentences (`chunkSpans`); yields after each piece. */
export function* readChunks(text: string, maxCharacters: number): Generator<void, Chunk[]> {
  const chunks: Chunk[] = [];
  for (const { begin, end } of chunkSpans(text, maxCharacters)) {
    chunks.push({ begin, end, text: text.slice(begin, end) });
    yield;
  }
  return chunks;
}

/** A chunk, and what was answered about it. */
export interface AnsweredChunk<T> {
  chunk: Chunk;
  answer: T;
}

/** Asks the same about every chunk: each is a call of its own, so a run goes on at the first that has no answer. */
export function* askPerChunk<T>(
  chunks: readonly Chunk[],
  questionAbout: (text: string) => Question<T>,
): ModelSteps<AnsweredChunk<T>[]> {
  const answers = yield* askAll(chunks.map(({ text }) => questionAbout(text)));
  return chunks.map((chunk, index) => ({ chunk, answer: answers[index] as T }));
}
