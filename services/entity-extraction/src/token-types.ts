import { type Perceptron, tagCount } from './perceptron.js';

/** What the features say of one distinct token, wherever it stands: looked up once, kept for the next time. */
export interface TokenType {
  lower: string;
  /** Runs of one kind of character as one: Xx, dx, X.X. */
  shape: string;
  /** Sum of the features that depend on nothing but the token. */
  own: Int32Array;
  /** Rows of the token as a neighbour: one and two before, one and two after; -1 when unknown. */
  previous: number;
  beforePrevious: number;
  next: number;
  afterNext: number;
  /** Whether any feature of two neighbours knows it as the first or the second of them: most words are in none. */
  isFirst: boolean;
  isSecond: boolean;
}

export interface TokenTypes {
  typeOf(text: string): TokenType;
  /** What stands before the first token, and after the last. */
  start: TokenType;
  end: TokenType;
}

const keptTypes = 20_000;

// The weights were trained on letters of ASCII; an accent changes no shape: João is spelled like Joao.
const shapeOf = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/\p{Lu}/gu, 'X')
    .replace(/\p{Ll}/gu, 'x')
    .replace(/[0-9]/g, 'd');
const shorten = (shape: string): string => shape.replace(/(.)\1+/gsu, '$1');

/** Words that stand first, or second, in a feature of two neighbours. A word may hold the mark that parts them: both cuts. */
const pairedWords = ({ rows }: Perceptron): { firsts: Set<string>; seconds: Set<string> } => {
  const firsts = new Set<string>();
  const seconds = new Set<string>();
  for (const feature of rows.keys()) {
    const [, template, pair = ''] = /^(pw|nw|p1w|wn1)=(.*)$/su.exec(feature) ?? [];
    if (template !== 'nw') for (const at of [pair.indexOf('|'), pair.lastIndexOf('|')]) firsts.add(pair.slice(0, at));
    if (template !== 'pw') for (const at of [pair.indexOf('|'), pair.lastIndexOf('|')]) seconds.add(pair.slice(at + 1));
  }
  return { firsts, seconds };
};

const ownFeatures = (lower: string, full: string): string[] => [
  'b',
  `w=${lower}`,
  `s=${shorten(full)}`,
  `fl=${full}`,
  `x2=${lower.slice(-2)}`,
  `x3=${lower.slice(-3)}`,
  `x4=${lower.slice(-4)}`,
  `f3=${lower.slice(0, 3)}`,
  `f4=${lower.slice(0, 4)}`,
];

/** Adds a feature's scores to those of the token whose first is at an index; -1 is no feature. */
export const addRow = ({ weights }: Perceptron, row: number, { to, at }: { to: Int32Array; at: number }): void => {
  if (row < 0) return;
  const from = row * tagCount;
  for (let tag = 0; tag < tagCount; tag += 1) to[at + tag] = (to[at + tag] ?? 0) + (weights[from + tag] ?? 0);
};

/** The distinct tokens of a perceptron. Keeps the last twenty thousand; not shared between threads. */
export function createTokenTypes(model: Perceptron): TokenTypes {
  const known = new Map<string, TokenType>();
  const { firsts, seconds } = pairedWords(model);
  const rowOf = (feature: string): number => model.rows.get(feature) ?? -1;
  const describe = (text: string): TokenType => {
    const lower = text.toLowerCase();
    const full = shapeOf(text);
    const own = new Int32Array(tagCount);
    for (const feature of ownFeatures(lower, full)) addRow(model, rowOf(feature), { to: own, at: 0 });
    return {
      lower,
      shape: shorten(full),
      own,
      previous: rowOf(`p1=${lower}`),
      beforePrevious: rowOf(`p2=${lower}`),
      next: rowOf(`n1=${lower}`),
      afterNext: rowOf(`n2=${lower}`),
      isFirst: firsts.has(lower),
      isSecond: seconds.has(lower),
    };
  };
  return {
    // The marks beyond the ends are their own shape.
    start: { ...describe('<s>'), shape: '<s>' },
    end: { ...describe('</s>'), shape: '</s>' },
    typeOf(text) {
      const found = known.get(text);
      if (found !== undefined) return found;
      if (known.size >= keptTypes) known.clear();
      const type = describe(text);
      known.set(text, type);
      return type;
    },
  };
}
