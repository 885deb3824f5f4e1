import type { Span } from '@anabranch/text';

/** A token of the tagger: a word, a number, a punctuation mark, or a whole identifier. UTF-16 units of the document. */
export interface Token extends Span {
  text: string;
  /** Whether it is a whole identifier: never part of a name. */
  isIdentifier: boolean;
}

// The cuts of the corpora that the weights come from: contractions and possessives part, hyphens and initialisms join.
const clitic = String.raw`['’](?:s|re|ve|ll|d|m|S|RE|VE|LL|D|M)(?![\p{L}\p{N}])`;
const word = String.raw`[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*(?:(?:['’&-]|\.(?=\p{Ll})|(?<=(?<!\p{L})\p{L})\.)[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*)*`;
const pattern = [
  String.raw`[@#][\p{L}\p{N}_]+`,
  clitic,
  String.raw`n['’]t(?![\p{L}\p{N}])`,
  String.raw`\p{N}+(?:[.,:/]\p{N}+)*[\p{L}\p{M}]*`,
  word,
  String.raw`([^\s\p{L}\p{N}])\1*`, // a run of one mark: … -- !!!
].join('|');
// One for all pieces: each call begins at its begin, and none is interrupted.
const search = new RegExp(pattern, 'gu');

const contracted =
  /^(.+?)(n['’]t|['’](?:s|re|ve|ll|d|m)|-(?:based|born|bred|led|run|backed|owned|style|area|bound|made|trained|sponsored|controlled|occupied|dominated|listed))$/iu;
const isContraction = /^n['’]t$/i;

// Their stop belongs to them; it may end the sentence as well.
const abbreviations = new Set(
  (
    'mr mrs ms dr prof rev hon gen col maj capt lt sgt gov sen rep st mt ft jr sr inc corp co ltd bros vs no etc jan feb mar ' +
    'apr jun jul aug sep sept oct nov dec ave blvd rd dept univ assn est approx e.g i.e cf vol pp fig lda'
  ).split(' '),
);

// States as American papers abbreviate them, after a place: "Memphis, Tenn."
const state =
  /^(?:Ala|Ariz|Ark|Calif|Colo|Conn|Del|Fla|Ga|Ill|Ind|Kan|Ky|La|Mass|Md|Mich|Minn|Miss|Mo|Mont|Neb|Nev|Okla|Ore|Pa|Tenn|Tex|Va|Vt|Wash|Wis|Wyo)$/;
const afterComma = /,[ \u00a0]$/;

const ownsStop = (text: string): boolean =>
  abbreviations.has(text.toLowerCase()) || /^(?:\p{Lu}|(?:\p{L}\.)+\p{L})$/u.test(text);

/** Cuts a word from its clitic, and gives an abbreviation its stop. */
function* cutWord(document: string, begin: number, text: string): Generator<Token> {
  const token = (from: number, to: number): Token => {
    return { text: document.slice(from, to), begin: from, end: to, isIdentifier: false };
  };
  const end = begin + text.length;
  const stem = isContraction.test(text) ? undefined : contracted.exec(text)?.[1];
  if (stem !== undefined) {
    yield token(begin, begin + stem.length);
    yield token(begin + stem.length, end);
    return;
  }
  const isState = state.test(text) && afterComma.test(document.slice(begin - 2, begin));
  const hasStop = document.charAt(end) === '.' && document.charAt(end + 1) !== '.' && (isState || ownsStop(text));
  yield token(begin, hasStop ? end + 1 : end);
}

/** How many of a list's spans, in order, end at or before an index. A caller walks on from where it was. */
export const skipTo = (spans: readonly Span[], from: number, index: number): number => {
  let next = from;
  while ((spans[next]?.end ?? Infinity) <= index) next += 1;
  return next;
};

/**
 * The tokens of a piece of a document, in order. An identifier is one token, in the piece where it begins; what it
 * touches is cut there. Linear in the piece.
 */
export function tokenise(document: string, piece: Span, identifiers: readonly Span[]): Token[] {
  const tokens: Token[] = [];
  search.lastIndex = 0;
  const text = document.slice(piece.begin, piece.end);
  let next = 0;
  for (let match = search.exec(text); match !== null; match = search.exec(text)) {
    const begin = piece.begin + match.index;
    const end = begin + match[0].length;
    next = skipTo(identifiers, next, begin);
    const identifier = identifiers[next];
    if (identifier === undefined || identifier.begin >= end) {
      for (const token of cutWord(document, begin, match[0])) tokens.push(token);
      search.lastIndex = Math.max(search.lastIndex, (tokens.at(-1)?.end ?? end) - piece.begin);
      continue;
    }
    const toToken = (span: Span, isIdentifier: boolean): Token => {
      return { text: document.slice(span.begin, span.end), begin: span.begin, end: span.end, isIdentifier };
    };
    if (begin < identifier.begin) tokens.push(toToken({ begin, end: identifier.begin }, false));
    if (identifier.begin >= piece.begin) tokens.push(toToken(identifier, true));
    search.lastIndex = identifier.end - piece.begin;
  }
  return tokens;
}
