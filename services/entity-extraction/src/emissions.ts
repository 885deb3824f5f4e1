import { type Perceptron, tagCount } from './perceptron.js';
import { addRow, createTokenTypes, type TokenType } from './token-types.js';

/** Scores of the tags for each token, token × tagCount, in tenths. */
export type Emissions = Int32Array;

// After these a capital says nothing: a sentence or a quotation begins.
const openers = new Set(['"', "'", '.', '“', '(']);

/** Whether words are mostly in capitals, as in old headlines. */
export const isShouted = (tokens: readonly string[]): boolean => {
  const words = tokens.filter((token) => /[A-Za-z]/.test(token));
  return words.length >= 3 && words.filter((token) => /^[A-Z]{2,}$/.test(token)).length > words.length * 0.7;
};

/** A token and its neighbours. */
interface Place {
  previous: TokenType;
  type: TokenType;
  next: TokenType;
}

/** The features of a token among its neighbours. */
function* neighbourFeatures({ previous, type, next }: Place): Generator<string> {
  const { lower, shape } = type;
  yield `ps=${previous.shape}|${shape}`;
  yield `ns=${shape}|${next.shape}`;
  yield `pns=${previous.shape}|${shape}|${next.shape}`;
  if (previous.isFirst) yield `pw=${previous.lower}|${shape}`;
  if (next.isSecond) yield `nw=${shape}|${next.lower}`;
  if (previous.isFirst && type.isSecond) yield `p1w=${previous.lower}|${lower}`;
  if (type.isFirst && next.isSecond) yield `wn1=${lower}|${next.lower}`;
}

/** Scores tokens by a perceptron's features (model/README.md). Not shared between threads. */
export function createScorer(model: Perceptron): (tokens: readonly string[]) => Emissions {
  const { typeOf, start, end } = createTokenTypes(model);
  return (tokens) => {
    const types = tokens.map(typeOf);
    const shouted = isShouted(tokens);
    const scores = new Int32Array(tokens.length * tagCount);
    for (const [index, type] of types.entries()) {
      const place = { to: scores, at: index * tagCount };
      const add = (feature: string): void => addRow(model, model.rows.get(feature) ?? -1, place);
      const previous = types[index - 1] ?? start;
      const next = types[index + 1] ?? end;
      scores.set(type.own, place.at);
      addRow(model, previous.previous, place);
      addRow(model, (types[index - 2] ?? start).beforePrevious, place);
      addRow(model, next.next, place);
      addRow(model, (types[index + 2] ?? end).afterNext, place);
      for (const feature of neighbourFeatures({ previous, type, next })) add(feature);
      const opens = index === 0 || openers.has(tokens[index - 1] ?? '');
      for (const feature of opens ? ['first', `first|${type.shape}`] : []) add(feature);
      for (const feature of shouted ? ['AC', `AC|${type.lower}`] : []) add(feature);
    }
    return scores;
  };
}
