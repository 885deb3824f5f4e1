import type { EntityExtractionResultInput, EntityInput, EntityType } from '@anabranch/contracts';
import { type Identifier, type IdentifierType, scanIdentifiers } from '@anabranch/identifiers';
import { apartFrom, type Offsets, sentenceSpans, type Span } from '@anabranch/text';
import { findMeasures, type Measure } from './dates-and-quantities.js';
import { findNames, type FoundName } from './find-names.js';
import { compileGazetteer, type Gazetteer, type GazetteerMention, type NameFinder } from './gazetteer.js';
import { type FoundMention, type MergedEntity, mergeMentions } from './merge-mentions.js';

/** What the engine reads: a cleaned text and its table of offsets. */
export interface EntityExtractionInput {
  text: string;
  offsets: Offsets;
  /**
   * The tenant's own names; they go before what the engine finds. Compiled once for each object that is given, or by the
   * caller: a gazetteer may be large.
   */
  gazetteer?: Gazetteer | NameFinder;
}

// Only what is a kind of entity: cards, national ids and secrets are findings of compliance, where they are masked.
const entityTypes: Partial<Record<IdentifierType, EntityType>> = {
  EMAIL: 'EMAIL',
  URL: 'URL',
  PHONE: 'PHONE',
  IBAN: 'IBAN',
};

/** Most mentions that are listed, the first ones of a document. A novel of a million characters has some ten thousand. */
export const maxMentions = 100_000;
// Entities turned into results, and sentences searched for dates, between two pauses.
const batchLength = 500;
const sentencesPerStep = 16;

/** By place. */
export const inOrder = <T extends Span>(spans: T[]): T[] => spans.sort((one, other) => one.begin - other.begin);

function* findSentences(text: string): Generator<void, Span[]> {
  const sentences: Span[] = [];
  for (const sentence of sentenceSpans(text)) {
    sentences.push(sentence);
    yield;
  }
  return sentences;
}

function* findMeasuresIn(text: string, sentences: readonly Span[]): Generator<void, Measure[]> {
  const found: Measure[] = [];
  for (const [index, sentence] of sentences.entries()) {
    if (found.length > maxMentions) break;
    for (const measure of findMeasures(text, sentence)) found.push(measure);
    if (index % sentencesPerStep === 0) yield;
  }
  return found;
}

const fromIdentifier = ({ type, begin, end, text, score }: Identifier): FoundMention[] => {
  const entityType = entityTypes[type];
  if (entityType === undefined) return [];
  return [{ type: entityType, begin, end, text, score, scoreKind: score === null ? 'NONE' : 'VALIDATOR' }];
};

const fromGazetteer = (text: string, { begin, end, entry }: GazetteerMention): FoundMention => {
  const custom = { name: entry.name, type: entry.type };
  return { type: 'CUSTOM', begin, end, text: text.slice(begin, end), score: null, scoreKind: 'NONE', custom };
};

const fromMeasure = (text: string, { type, begin, end }: Measure): FoundMention => {
  return { type, begin, end, text: text.slice(begin, end), score: null, scoreKind: 'NONE' };
};

const fromName = (text: string, { begin, end, type, score }: FoundName): FoundMention => {
  const rank = Math.round(score * 1_000) / 1_000;
  return { type, begin, end, text: text.slice(begin, end), score: rank, scoreKind: 'RANK' };
};

const finders = new WeakMap<Gazetteer, NameFinder>();

function* finderOf(gazetteer: Gazetteer | NameFinder): Generator<void, NameFinder> {
  if ('find' in gazetteer) return gazetteer;
  const known = finders.get(gazetteer);
  if (known !== undefined) return known;
  const finder = yield* compileGazetteer(gazetteer);
  finders.set(gazetteer, finder);
  return finder;
}

const noGazetteer: Gazetteer = { entries: [] };

/** What is sure to be what it is, in order and without overlap. */
export interface CertainMentions {
  /** E-mail addresses, URLs, telephone numbers, IBANs, and the tenant's own names. */
  mentions: FoundMention[];
  /** Where these stand, and the identifiers that are no entities: no name is looked for there. */
  taken: Span[];
  identifiers: Identifier[];
}

/** The tenant's own names and identifiers. An identifier that holds one of the tenant's names within it stays whole. */
export function* findCertain(
  text: string,
  gazetteer: Gazetteer | NameFinder = noGazetteer,
): Generator<void, CertainMentions> {
  const identifiers = yield* scanIdentifiers(text);
  const finder = yield* finderOf(gazetteer);
  const known = apartFrom(yield* finder.find(text, maxMentions), identifiers);
  const mentions = identifiers.flatMap(fromIdentifier);
  for (const mention of known) mentions.push(fromGazetteer(text, mention));
  return { mentions, taken: inOrder<Span>([...identifiers, ...known]), identifiers };
}

/**
 * All mentions in order, without overlap. What is surer goes first: the tenant's own names, then identifiers, dates and
 * quantities, then names.
 */
function* findMentions(text: string, gazetteer: Gazetteer | NameFinder): Generator<void, FoundMention[]> {
  const { mentions, taken, identifiers } = yield* findCertain(text, gazetteer);
  const sentences = yield* findSentences(text);
  const measures = apartFrom(yield* findMeasuresIn(text, sentences), taken);
  const names = apartFrom(
    yield* findNames({ text, sentences, identifiers, maxNames: maxMentions }),
    inOrder<Span>([...taken, ...measures]),
  );
  yield;
  for (const measure of measures) mentions.push(fromMeasure(text, measure));
  yield;
  for (const name of names) mentions.push(fromName(text, name));
  yield;
  return inOrder(mentions);
}

const toEntity = ({ name, type, customType, mentions }: MergedEntity, id: string, offsets: Offsets): EntityInput => {
  const scores = mentions.flatMap(({ score }) => score ?? []);
  return {
    id,
    name,
    type,
    customType,
    score: scores.length === 0 ? null : scores.reduce((one, other) => Math.max(one, other)),
    scoreKind: mentions.find(({ score }) => score !== null)?.scoreKind ?? 'NONE',
    mentions: mentions.map(({ text, begin, end, score }) => ({
      text,
      begin: offsets.toCodePoint(begin),
      end: offsets.toCodePoint(end),
      score,
      grounded: true,
    })),
  };
};

/** Mentions in order become entities by first mention. Yields in between. */
export function* toResult(
  mentions: readonly FoundMention[],
  offsets: Offsets,
): Generator<void, EntityExtractionResultInput> {
  const entities: EntityInput[] = [];
  const merged = yield* mergeMentions(mentions);
  for (const [index, entity] of merged.entries()) {
    entities.push(toEntity(entity, `e${index + 1}`, offsets));
    if (index % batchLength === 0) yield;
  }
  return { entities };
}

/** The entities of a document, and how much of it they cover. */
export interface EntityReading {
  result: EntityExtractionResultInput;
  /** Code points up to which mentions are listed; null when that is all of the text. */
  readTo: number | null;
}

/**
 * Entities by first mention: persons, organizations and places by the tagger, scored by RANK; e-mail addresses, URLs,
 * telephone numbers and IBANs; dates and quantities; the tenant's own names as CUSTOM. Linear; yields in between.
 */
export function* extractEntities(input: EntityExtractionInput): Generator<void, EntityReading> {
  const { text, offsets, gazetteer = noGazetteer } = input;
  const all = yield* findMentions(text, gazetteer);
  const result = yield* toResult(all.slice(0, maxMentions), offsets);
  const next = all[maxMentions];
  return { result, readTo: next === undefined ? null : offsets.toCodePoint(next.begin) };
}
