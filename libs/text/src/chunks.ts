import { sentenceSpans } from './sentences.js';
import type { Span } from './span.js';

const blankLine = /(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r(?!\n))/;
// From this share of its length on, a chunk ends with a paragraph rather than with the last sentence that fits.
const paragraphFrom = 0.75;

/** How many of the sentences make a chunk, when the next one does not fit: up to a paragraph's end if one is near. */
const cutAfter = (text: string, sentences: readonly Span[], maxLength: number): number => {
  const begin = sentences[0]?.begin ?? 0;
  for (let index = sentences.length - 1; index > 0; index -= 1) {
    const [before, after] = [sentences[index - 1], sentences[index]];
    if (before === undefined || after === undefined || before.end - begin < paragraphFrom * maxLength) break;
    if (blankLine.test(text.slice(before.end, after.begin))) return index;
  }
  return sentences.length;
};

/** From the first sentence's begin to the last one's end: sentences have no white space around them. */
const withoutMargins = (text: string): Span => {
  const begin = text.length - text.trimStart().length;
  return { begin, end: Math.max(begin, text.trimEnd().length) };
};

/**
 * Pieces of a text of at most `maxLength` UTF-16 units, cut between sentences and, where one is near, between paragraphs;
 * they hold every sentence, once. A sentence that is longer goes alone. Lazy: between two chunks little is read.
 */
export function* chunkSpans(text: string, maxLength: number): Generator<Span> {
  const whole = withoutMargins(text);
  if (whole.end - whole.begin <= maxLength) {
    if (whole.begin < whole.end) yield whole;
    return;
  }
  let held: Span[] = [];
  const spanOf = (sentences: readonly Span[]): Span => ({
    begin: sentences[0]?.begin ?? 0,
    end: sentences.at(-1)?.end ?? 0,
  });
  for (const sentence of sentenceSpans(text)) {
    while (held.length > 0 && sentence.end - spanOf(held).begin > maxLength) {
      // The next sentence may begin a paragraph, too.
      const cut = cutAfter(text, [...held, sentence], maxLength);
      const count = Math.min(cut, held.length);
      yield spanOf(held.slice(0, count));
      held = held.slice(count);
    }
    held.push(sentence);
  }
  if (held.length > 0) yield spanOf(held);
}
