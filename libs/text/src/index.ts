export { cleanText, isBlank, textSha256 } from './clean-text.js';
export { type ContentWord, findContentWords, isFunctionWord, stemEnglish } from './english.js';
export { languageWindows } from './language-windows.js';
export { countCodePoints, createOffsets, type Offsets } from './offsets.js';
export { maxSentenceLength, type Sentence, sentenceSpans, splitSentences } from './sentences.js';
export type { Span } from './span.js';
export { findWords, type Word } from './words.js';
