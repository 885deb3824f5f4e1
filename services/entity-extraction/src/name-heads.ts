// What the last word of a name says about it: a university is an organization, an avenue a place, a manager nobody's name.
import type { TaggedSpan } from './decode.js';
import { isCapitalised } from './known-names.js';
import { lexicon } from './lexicon.js';
import { title } from './name-forms.js';
import { nameTypes } from './perceptron.js';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const person = nameTypes.indexOf('PERSON');
const organization = nameTypes.indexOf('ORGANIZATION');
const location = nameTypes.indexOf('LOCATION');

const bodies = setOf(
  'agency airlines airways army association bancorp bank brands bureau capital club college commission committee company ' +
    'consulting corporation council court department entertainment federation foundation fund gazette group herald holdings ' +
    'industries institute insurance laboratories lines ministry motors news partners party pharmaceuticals pictures police press ' +
    'radio railways securities services society software solutions studios systems technologies television tribune trust ' +
    'union university',
);
const places = setOf(
  'airport avenue bay beach boulevard bridge county crossing desert harbor harbour hills island islands lake lane mountain mountains ' +
    'ocean peninsula province river road sea square street valley',
);
const placeBegins = setOf('Cape Fort Gulf Lake Mount Mt. Port');
const legalForm = /^(?:inc|corp|ltd|llc|llp|plc|gmbh|co|ag|n\.a|l\.p|bhd|lda|s\.a|n\.v|b\.v|pty|lp|sa|nv|bv)\.?$/i;
// Alone they name nothing: contracts write "the Company" and "the Board".
const common = new Set([...bodies, 'board', 'directors', 'employees', 'executive', 'members']);
const roles = setOf(
  'chairman correspondent director directors editor employee employees executive executives holder holders manager managers ' +
    'member members minister officer officers president reporter secretary spokesman spokeswoman trustee trustees',
);

/** English writes peoples with a capital, and they name no place; "Christian" is a given name as often. */
const isPeople = (token: string | undefined): boolean =>
  token !== undefined && lexicon.get(token)?.type === null && !token.startsWith('Christian');
const direction = /^(?:North|South|East|West|Central|Latin)$/;

/** "West Bank" and "Soviet Union" are places that end like bodies. */
const endsInKnownPlace = (tokens: readonly string[], { last }: TaggedSpan): boolean =>
  lexicon.get(tokens.slice(last - 1, last + 1).join(' '))?.type === 'LOCATION';

const hungOn = /^-\p{Ll}/u;
const isWord = (token: string | undefined): boolean => token !== undefined && /[\p{L}\p{N}]/u.test(token);

/** Without what cannot belong to it: marks at its ends, "the" before a place or person, a people before a full name. */
const trim = (tokens: readonly string[], span: TaggedSpan): TaggedSpan => {
  let { first, last } = span;
  // "London-born Smith" begins after what is hung on.
  first = Math.max(first, tokens.slice(first, last).findLastIndex((token) => hungOn.test(token)) + first + 1);
  while (first < last && !isWord(tokens[first])) first += 1;
  while (first < last && !isWord(tokens[last])) last -= 1;
  if (first < last && span.type !== organization && tokens[first] === 'the') first += 1;
  if (span.type === person && last - first >= 2 && isPeople(tokens[first])) first += 1;
  return { ...span, first, last };
};

const namesNothing = (tokens: readonly string[], { first, last, type }: TaggedSpan): boolean => {
  const head = tokens[last] ?? '';
  const isAlone = first === last || (last - first === 1 && direction.test(tokens[first] ?? ''));
  if (isAlone && isPeople(head)) return true;
  if (first === last && (common.has(head.toLowerCase()) || title.test(head))) return true;
  const isRole = type !== location && roles.has(head.toLowerCase());
  return isRole && !tokens.slice(first, last).includes('of');
};

const typeBy = (tokens: readonly string[], span: TaggedSpan): number => {
  const { first, last, type } = span;
  const head = tokens[last];
  if (first === last || !isCapitalised(head)) return type;
  if (legalForm.test(head)) return organization;
  const isFullName = last - first === 1 && lexicon.get(tokens[first] ?? '')?.type === 'PERSON';
  if (places.has(head.toLowerCase()) && !isFullName) return location;
  if (type === person && placeBegins.has(tokens[first] ?? '')) return location;
  return bodies.has(head.toLowerCase()) && !endsInKnownPlace(tokens, span) ? organization : type;
};

/** A span as its words allow it, and of the type that its last word has; none when it names nothing. */
export const adjustByHead = (tokens: readonly string[], span: TaggedSpan): TaggedSpan[] => {
  const trimmed = trim(tokens, span);
  if (namesNothing(tokens, trimmed)) return [];
  return [{ ...trimmed, type: typeBy(tokens, trimmed) }];
};
