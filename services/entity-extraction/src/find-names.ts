import type { Span } from '@anabranch/text';
import { adjustNames } from './adjust-names.js';
import { createDecoder, type TaggedSpan } from './decode.js';
import { holds, type Memory, recall, remember } from './document-memory.js';
import { createScorer, type Emissions } from './emissions.js';
import { englishModel } from './english-model.js';
import { addGeneralKnowledge } from './general-knowledge.js';
import { favour } from './known-names.js';
import { addNameForms } from './name-forms.js';
import { type NameType, nameTypes, tagCount } from './perceptron.js';
import { skipTo, type Token, tokenise } from './tokens.js';

/** A name in a document, in UTF-16 units. `score` orders names by how sure the tagger is; it is no probability. */
export interface FoundName extends Span {
  type: NameType;
  score: number;
}

// Bounds one step: longer "sentences" (tables, text without a stop) are cut, after a mark if there is one.
const maxSequence = 256;
const neverName = -100_000;

const score = createScorer(englishModel);
const decode = createDecoder(englishModel);

/** A document: its text, and in UTF-16 units, in order, its sentences and the identifiers in it, which are no names. */
export interface NameSource {
  text: string;
  sentences: readonly Span[];
  identifiers: readonly Span[];
  /** Enough: the search ends soon after so many. */
  maxNames: number;
}

// Wide gaps part the columns of a table or of a page; no name runs over one.
const gap = /\t|[ \u00a0]{4,}/g;

const cutColumns = (text: string, { begin, end }: Span): Span[] => {
  const columns: Span[] = [];
  let from = begin;
  for (const { 0: space, index } of text.slice(begin, end).matchAll(gap)) {
    if (begin + index > from) columns.push({ begin: from, end: begin + index });
    from = begin + index + space.length;
  }
  if (from < end) columns.push({ begin: from, end });
  return columns;
};

/**
 * Sequences of tokens in order: sentences, cut at line breaks that end a thought, at columns, and where they are very
 * long. Those that cannot hold a name are empty.
 */
function* sequences({ text, sentences, identifiers }: NameSource): Generator<Token[]> {
  let next = 0;
  for (const sentence of sentences) {
    next = skipTo(identifiers, next, sentence.begin);
    const nearby = identifiers.slice(next, skipTo(identifiers, next, sentence.end) + 1);
    for (const piece of cutColumns(text, sentence)) {
      const tokens = tokenise(text, piece, nearby);
      while (tokens.length > maxSequence) {
        const mark = tokens.slice(0, maxSequence).findLastIndex((token) => /^\p{P}+$/u.test(token.text));
        yield tokens.splice(0, mark < maxSequence / 2 ? maxSequence : mark + 1);
      }
      yield tokens.some(mayBeName) ? tokens : [];
    }
  }
}

const letter = /\p{L}/u;
const mayBeName = ({ text, isIdentifier }: Token): boolean => !isIdentifier && letter.test(text);

/** A token as the weights know it: they were trained on straight apostrophes. */
const wordOf = ({ text }: Token): string => (text.length > 1 ? text.replace('’', "'") : text);

const emissionsOf = (tokens: readonly Token[], words: readonly string[]): Emissions => {
  const emissions = score(words);
  addGeneralKnowledge(words, emissions);
  addNameForms(words, emissions);
  for (const [index, token] of tokens.entries()) {
    if (token.isIdentifier) emissions.fill(neverName, index * tagCount + 1, (index + 1) * tagCount);
  }
  return emissions;
};

const toName = (tokens: readonly Token[], { first, last, type, score: sureness }: TaggedSpan): FoundName => ({
  begin: tokens[first]?.begin ?? 0,
  end: tokens[last]?.end ?? 0,
  type: nameTypes[type] ?? 'PERSON',
  score: sureness,
});

type Tag = (tokens: readonly Token[], words: readonly string[]) => readonly TaggedSpan[];

// Headers, boilerplate and table rows come again and again: the same words get the same tags.
const keptSequences = 512;

const onceEach = (tag: Tag): Tag => {
  const known = new Map<string, readonly TaggedSpan[]>();
  return (tokens, words) => {
    const key = tokens.map((token, index) => (token.isIdentifier ? `\u0000${words[index]}` : words[index])).join(' ');
    const before = known.get(key);
    if (before !== undefined) return before;
    if (known.size >= keptSequences) known.clear();
    const spans = tag(tokens, words);
    known.set(key, spans);
    return spans;
  };
};

/**
 * Persons, organizations and places of a document in order, without overlap: tagged sentence by sentence, then once more
 * where a sentence has a name untagged, or tagged otherwise, that the document bears elsewhere. Linear; yields after
 * each sentence.
 */
export function* findNames(source: NameSource): Generator<void, FoundName[]> {
  const memory: Memory = { names: new Map(), lengths: new Map() };
  const tagged: (readonly TaggedSpan[])[] = [];
  const nothing: readonly TaggedSpan[] = [];
  const tag = onceEach((tokens, words) => adjustNames(words, decode(emissionsOf(tokens, words))));
  for (const tokens of sequences(source)) {
    const words = tokens.map(wordOf);
    const spans = tokens.length === 0 ? nothing : tag(tokens, words);
    remember(memory, words, spans);
    // One list for all sequences without a name: a long list of short lines has a million of them.
    tagged.push(spans.length === 0 ? nothing : spans);
    yield;
  }
  const tagAgain = onceEach((tokens, words) => {
    const emissions = emissionsOf(tokens, words);
    for (const { span, strength } of recall(memory, words)) favour(emissions, span, strength);
    return adjustNames(words, decode(emissions));
  });
  const names: FoundName[] = [];
  let sequence = 0;
  for (const tokens of sequences(source)) {
    if (names.length > source.maxNames) break;
    const words = tokens.map(wordOf);
    const first = tagged[sequence] ?? [];
    const isSettled = recall(memory, words).every((name) => holds(first, name));
    for (const span of isSettled ? first : tagAgain(tokens, words)) names.push(toName(tokens, span));
    sequence += 1;
    yield;
  }
  return names;
}
