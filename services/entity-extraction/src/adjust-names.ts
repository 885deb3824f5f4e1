import type { TaggedSpan } from './decode.js';
import { adjustByHead } from './name-heads.js';
import { nameTypes } from './perceptron.js';

const honorifics = new Set(
  (
    'mr mrs ms miss dr prof professor president sen senator rep representative gov governor gen general col colonel capt ' +
    'captain lt sgt judge justice rev reverend prime minister secretary mayor chairman hello hi dear prophet ambassador ' +
    'sheikh ayatollah pope king queen prince princess sir lord lady cardinal archbishop bishop admiral major sergeant ' +
    'lieutenant congressman congresswoman cllr councillor'
  ).split(' '),
);
const companySuffix = /^(?:inc|corp|ltd|llc|llp|plc|gmbh|co)\.?$/i;

const person = nameTypes.indexOf('PERSON');
const organization = nameTypes.indexOf('ORGANIZATION');
const location = nameTypes.indexOf('LOCATION');

const isHonorific = (token: string | undefined): boolean =>
  token !== undefined && honorifics.has(token.toLowerCase().replace(/\.$/, ''));

/** "President Bush" names Bush; a title alone names nobody. */
const withoutHonorific = (tokens: readonly string[], span: TaggedSpan): TaggedSpan[] => {
  let { first } = span;
  while (first <= span.last && isHonorific(tokens[first])) first += 1;
  return first > span.last ? [] : [{ ...span, first }];
};

/** "Washington, D.C." names two places. */
const partedByComma = (tokens: readonly string[], span: TaggedSpan): TaggedSpan[] => {
  const parts: TaggedSpan[] = [];
  let { first } = span;
  for (let token = span.first; token <= span.last + 1; token += 1) {
    if (token <= span.last && tokens[token] !== ',') continue;
    if (token > first) parts.push({ ...span, first, last: token - 1 });
    first = token + 1;
  }
  return parts;
};

/** "Acme, Inc." is the company's name to its end. */
const withCompanySuffix = (tokens: readonly string[], span: TaggedSpan): TaggedSpan => {
  const isSuffix = (token: string | undefined): boolean =>
    token !== undefined && /^\p{Lu}/u.test(token) && companySuffix.test(token);
  const isParted = tokens[span.last + 1] === ',' && isSuffix(tokens[span.last + 2]);
  if (isParted) return { ...span, last: span.last + 2 };
  return isSuffix(tokens[span.last + 1]) ? { ...span, last: span.last + 1 } : span;
};

// "Bank of Bristol" is no place, whatever the place after "of".
const institutions = new Set(
  'bank university institute ministry department college bureau board council federation association academy'.split(
    ' ',
  ),
);
const isInstitution = (tokens: readonly string[], { first, last }: TaggedSpan): boolean =>
  last - first > 1 && tokens[first + 1] === 'of' && institutions.has(tokens[first]?.toLowerCase() ?? '');

/** No mark and no number names anything: a word must. */
const hasWord = (tokens: readonly string[], { first, last }: TaggedSpan): boolean =>
  tokens.slice(first, last + 1).some((token) => /^[#@]?\p{L}/u.test(token));

/** Spans of a tagger with the limits that names have, whatever the weights say. In order, without overlap. */
export function adjustNames(tokens: readonly string[], spans: readonly TaggedSpan[]): TaggedSpan[] {
  const named = spans.flatMap((span) => adjustByHead(tokens, span));
  return named.flatMap((span, index) => {
    if (!hasWord(tokens, span)) return [];
    if (isInstitution(tokens, span)) return [{ ...span, type: organization }];
    if (span.type === person) return withoutHonorific(tokens, span);
    if (span.type === location) return partedByComma(tokens, span);
    if (span.type !== organization) return [span];
    const longer = withCompanySuffix(tokens, span);
    return [longer.last < (named[index + 1]?.first ?? Infinity) ? longer : span];
  });
}
