import type { EntityType, ScoreKind } from '@anabranch/contracts';
import type { Span } from '@anabranch/text';

/** A mention, in UTF-16 units. */
export interface FoundMention extends Span {
  type: EntityType;
  text: string;
  score: number | null;
  scoreKind: ScoreKind;
  /** Of a gazetteer's entry: the name under which its mentions are gathered, and its type. */
  custom?: { name: string; type: string };
}

/** Mentions of one thing, in order. */
export interface MergedEntity {
  name: string;
  type: EntityType;
  customType?: string;
  mentions: FoundMention[];
}

const companySuffixes = /(?:,? (?:inc|corp|corporation|company|ltd|limited|llc|llp|plc|gmbh|ag|sa|nv|co)\.?)+$/;
const articles = /^the /;
const possessive = /['’]s?$/;
const smallWords = new Set(['of', 'the', 'and', 'for', 'in', 'de', 'on', '&', 'to', 'at']);

const oneLine = (text: string): string => text.replace(/\s+/gu, ' ');
const fold = (text: string): string => oneLine(text.normalize('NFC')).toLowerCase().replace(possessive, '');

/** What two mentions of one thing have in common: no case, article, company suffix or possessive. */
const keyOf = ({ type, text, custom }: FoundMention): string => {
  if (custom !== undefined) return `CUSTOM ${custom.type} ${custom.name}`;
  if (type === 'ORGANIZATION') {
    const bare = fold(text).replace(articles, '').replace(companySuffixes, '');
    return `${type} ${bare === '' ? fold(text) : bare}`;
  }
  if (type === 'LOCATION') return `${type} ${fold(text).replace(articles, '')}`;
  if (type === 'PERSON' || type === 'EMAIL') return `${type} ${fold(text)}`;
  return `${type} ${oneLine(text)}`;
};

const wordsOf = (name: string): string[] => fold(name).split(' ');

/** First letters of a name's capitalised words: United Nations → un. */
const initialsOf = (name: string): string =>
  oneLine(name)
    .split(/[ -]/)
    .filter((word) => /^\p{Lu}/u.test(word) && !smallWords.has(word.toLowerCase()))
    .map((word) => word.charAt(0).toLowerCase())
    .join('');

const acronymOf = (name: string): string | null => {
  const letters = name.replaceAll('.', '');
  return /^\p{Lu}{2,6}$/u.test(letters) ? letters.toLowerCase() : null;
};

// Mentions or entities looked at between two pauses.
const batchLength = 500;

/** Entities by a short form; null where several share it. */
function* byShortForm(
  entities: readonly MergedEntity[],
  shortForm: (entity: MergedEntity) => string | null,
): Generator<void, Map<string, MergedEntity | null>> {
  const found = new Map<string, MergedEntity | null>();
  for (const [index, entity] of entities.entries()) {
    const form = shortForm(entity);
    if (form !== null) found.set(form, found.has(form) ? null : entity);
    if (index % batchLength === 0) yield;
  }
  return found;
}

const surnameOf = ({ type, name }: MergedEntity): string | null => {
  const words = wordsOf(name);
  return type === 'PERSON' && words.length > 1 ? (words.at(-1) ?? null) : null;
};

const mayBeAcronym = ({ type }: MergedEntity): boolean => type === 'ORGANIZATION' || type === 'LOCATION';

const abbreviate = (entity: MergedEntity): string | null => {
  const initials = mayBeAcronym(entity) ? initialsOf(entity.name) : '';
  return initials.length > 1 ? `${entity.type} ${initials}` : null;
};

/** The one entity that a short name stands for; null when it is none, or could be several. */
function* createResolver(
  entities: readonly MergedEntity[],
): Generator<void, (entity: MergedEntity) => MergedEntity | null> {
  const surnames = yield* byShortForm(entities, surnameOf);
  const acronyms = yield* byShortForm(entities, abbreviate);
  return (entity) => {
    const { type, name } = entity;
    if (type === 'PERSON') return name.includes(' ') ? null : (surnames.get(fold(name)) ?? null);
    const acronym = mayBeAcronym(entity) ? acronymOf(name) : null;
    return acronym === null ? null : (acronyms.get(`${type} ${acronym}`) ?? null);
  };
}

const fullestName = ({ mentions }: MergedEntity): string =>
  oneLine(mentions.reduce((best, { text }) => (text.length > best.length ? text : best), ''));

/** Mentions with one key, under the fullest name. */
function* group(mentions: readonly FoundMention[]): Generator<void, MergedEntity[]> {
  const entities = new Map<string, MergedEntity>();
  for (const [index, mention] of mentions.entries()) {
    const key = keyOf(mention);
    const { type, custom } = mention;
    const known = entities.get(key);
    if (known !== undefined) known.mentions.push(mention);
    else entities.set(key, { name: '', type, customType: custom?.type, mentions: [mention] });
    if (index % batchLength === 0) yield;
  }
  const grouped = [...entities.values()];
  for (const entity of grouped) entity.name = entity.mentions[0]?.custom?.name ?? fullestName(entity);
  return grouped;
}

const firstBegin = ({ mentions }: MergedEntity): number => mentions[0]?.begin ?? 0;

/**
 * Gathers the mentions of one thing: equal but for case, article, company suffix and possessive; a surname with the only
 * full name that bears it; an acronym with the only name that it abbreviates. Of several candidates none is guessed.
 * Linear; yields in between.
 * @returns entities by first mention
 */
export function* mergeMentions(mentions: readonly FoundMention[]): Generator<void, MergedEntity[]> {
  const entities = yield* group(mentions);
  const resolve = yield* createResolver(entities);
  const merged = new Map<MergedEntity, MergedEntity>();
  for (const entity of entities) {
    const target = resolve(entity);
    if (target !== null && target !== entity) merged.set(entity, target);
  }
  for (const [entity, target] of merged) {
    for (const mention of entity.mentions) target.mentions.push(mention);
    target.mentions.sort((one, other) => one.begin - other.begin);
  }
  return entities.filter((entity) => !merged.has(entity)).sort((one, other) => firstBegin(one) - firstBegin(other));
}
