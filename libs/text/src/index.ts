export { chunkSpans } from './chunks.js';
export { cleanText, isBlank, textSha256 } from './clean-text.js';
export { type ContentWord, findContentWords, isFunctionWord, stemEnglish } from './english.js';
export { languageWindows } from './language-windows.js';
export { countCodePoints, createOffsets, type Offsets } from './offsets.js';
export { createQuoteFinder, type QuoteFinder } from './quotes.js';
export { maxSentenceLength, type Sentence, sentenceSpans, splitSentences } from './sentences.js';
export { apartFrom, type Span, withoutOverlap } from './span.js';
export { findWords, type Word } from './words.js';
