import type { Emissions } from './emissions.js';
import { type Perceptron, positionOfTag, positions, tagCount, tagOf, typeOfTag } from './perceptron.js';

/** A span of tokens with the index of its type. */
export interface TaggedSpan {
  /** First token. */
  first: number;
  /** Last token, inclusive. */
  last: number;
  type: number;
  /** How sure the model is of exactly this span with this type, 0–1: an order, not a probability. */
  score: number;
}

/** A span that is open goes on with its own type; a closed one, or none, is followed by none or a new one. */
const mayFollow = (previous: number, next: number): boolean => {
  const isOpen = previous > 0 && positionOfTag(previous) <= positions.inside;
  const goesOn = next > 0 && (positionOfTag(next) === positions.inside || positionOfTag(next) === positions.end);
  return isOpen ? goesOn && typeOfTag(previous) === typeOfTag(next) : !goesOn;
};

const tags = Array.from({ length: tagCount }, (_, tag) => tag);
/** The legal steps from tag to tag, one entry each. */
const legal = tags.flatMap((to) => tags.filter((from) => mayFollow(from, to)).map((from) => ({ from, to })));
const stepFrom = Uint8Array.from(legal, ({ from }) => from);
const stepTo = Uint8Array.from(legal, ({ to }) => to);
const mayEnd = tags.filter((tag) => tag === 0 || positionOfTag(tag) >= positions.end);
const impossible = -1e9;

// Flattens the distribution: sharp perceptron scores would make every span look certain.
const temperature = 15;
const scale = 1 / (temperature * 10);

/** Forward or backward sums, each token's scaled to add up to one, and the logarithms of the scales up to there. */
interface Sums {
  at: Float64Array;
  logScale: Float64Array;
}

/** A sentence's weights of steps and emissions (exponentials of scores), and the sums from both ends. */
interface Lattice {
  steps: Float64Array;
  weights: Float64Array;
  ahead: Sums;
  behind: Sums;
}

/** Emissions as weights, divided by each token's greatest: every path holds each token once, so that cancels out. */
const weigh = (emissions: Emissions): Float64Array => {
  const weights = new Float64Array(emissions.length);
  for (let row = 0; row < emissions.length; row += tagCount) {
    let greatest = emissions[row] ?? 0;
    for (const tag of tags) greatest = Math.max(greatest, emissions[row + tag] ?? 0);
    for (const tag of tags) weights[row + tag] = Math.exp(((emissions[row + tag] ?? 0) - greatest) * scale);
  }
  return weights;
};

const normalise = ({ at, logScale }: Sums, token: number, logBefore: number): void => {
  const row = token * tagCount;
  let total = 0;
  for (const tag of tags) total += at[row + tag] ?? 0;
  for (const tag of tags) at[row + tag] = (at[row + tag] ?? 0) / total;
  logScale[token] = logBefore + Math.log(total);
};

const emptySums = (length: number): Sums => ({
  at: new Float64Array(length * tagCount),
  logScale: new Float64Array(length),
});

const sumAhead = (steps: Float64Array, weights: Float64Array): Sums => {
  const sums = emptySums(weights.length / tagCount);
  const { at } = sums;
  for (let row = 0, token = 0; row < weights.length; row += tagCount, token += 1) {
    if (token === 0) for (const tag of tags) at[tag] = mayFollow(0, tag) ? (steps[tag] ?? 0) : 0;
    for (let step = 0; token > 0 && step < stepFrom.length; step += 1) {
      const [from, to] = [stepFrom[step] ?? 0, stepTo[step] ?? 0];
      at[row + to] = (at[row + to] ?? 0) + (at[row - tagCount + from] ?? 0) * (steps[from * tagCount + to] ?? 0);
    }
    for (const tag of tags) at[row + tag] = (at[row + tag] ?? 0) * (weights[row + tag] ?? 0);
    normalise(sums, token, sums.logScale[token - 1] ?? 0);
  }
  return sums;
};

const sumBehind = (steps: Float64Array, weights: Float64Array): Sums => {
  const sums = emptySums(weights.length / tagCount);
  const { at } = sums;
  const end = sums.logScale.length - 1;
  for (let token = end, row = end * tagCount; token >= 0; token -= 1, row -= tagCount) {
    if (token === end) for (const tag of mayEnd) at[row + tag] = 1;
    const next = row + tagCount;
    for (let step = 0; token < end && step < stepFrom.length; step += 1) {
      const [from, to] = [stepFrom[step] ?? 0, stepTo[step] ?? 0];
      const weight = (weights[next + to] ?? 0) * (at[next + to] ?? 0);
      at[row + from] = (at[row + from] ?? 0) + (steps[from * tagCount + to] ?? 0) * weight;
    }
    normalise(sums, token, sums.logScale[token + 1] ?? 0);
  }
  return sums;
};

/** The share of all legal paths' weight that runs through exactly this span with this type. */
const shareOf = ({ first, last, type }: TaggedSpan, { steps, weights, ahead, behind }: Lattice): number => {
  const tagAt = (token: number): number => {
    if (first === last) return tagOf(type, positions.single);
    if (token === first) return tagOf(type, positions.begin);
    return tagOf(type, token === last ? positions.end : positions.inside);
  };
  let log = Math.log(ahead.at[first * tagCount + tagAt(first)] ?? 0) + (ahead.logScale[first] ?? 0);
  for (let token = first + 1; token <= last; token += 1) {
    const step = steps[tagAt(token - 1) * tagCount + tagAt(token)] ?? 0;
    log += Math.log(step * (weights[token * tagCount + tagAt(token)] ?? 0));
  }
  log += Math.log(behind.at[last * tagCount + tagAt(last)] ?? 0) + (behind.logScale[last] ?? 0);
  const end = ahead.logScale.length - 1;
  const total = mayEnd.reduce((sum, tag) => sum + (ahead.at[end * tagCount + tag] ?? 0), 0);
  return Math.min(1, Math.exp(log - Math.log(total) - (ahead.logScale[end] ?? 0)));
};

const spansOf = (best: Uint8Array): TaggedSpan[] => {
  const spans: TaggedSpan[] = [];
  let first = 0;
  for (const [token, tag] of best.entries()) {
    if (tag === 0) continue;
    const position = positionOfTag(tag);
    if (position === positions.begin || position === positions.single) first = token;
    if (position >= positions.end) spans.push({ first, last: token, type: typeOfTag(tag), score: 0 });
  }
  return spans;
};

/** The best legal sequence of tags (Viterbi). A sequence may not end inside a span. */
function bestTags(transitions: Int32Array, emissions: Emissions): Uint8Array {
  const cameFrom = new Uint8Array(emissions.length);
  let scores = new Int32Array(tagCount).fill(impossible);
  scores[0] = 0; // the start is scored as an O
  for (let row = 0; row < emissions.length; row += tagCount) {
    const next = new Int32Array(tagCount).fill(impossible);
    for (let step = 0; step < stepFrom.length; step += 1) {
      const [from, to] = [stepFrom[step] ?? 0, stepTo[step] ?? 0];
      const score = (scores[from] ?? 0) + (transitions[from * tagCount + to] ?? 0);
      if (score <= (next[to] ?? 0)) continue;
      next[to] = score;
      cameFrom[row + to] = from;
    }
    for (const tag of tags) next[tag] = Math.max(impossible, (next[tag] ?? 0) + (emissions[row + tag] ?? 0));
    scores = next;
  }
  const best = new Uint8Array(emissions.length / tagCount);
  let tag = mayEnd.reduce((one, other) => ((scores[other] ?? 0) > (scores[one] ?? 0) ? other : one), 0);
  for (let token = best.length - 1; token >= 0; token -= 1) {
    best[token] = tag;
    tag = cameFrom[token * tagCount + tag] ?? 0;
  }
  return best;
}

/** Finds the best spans of a sentence and scores them by forward–backward marginals of the exact span with its type. */
export function createDecoder({ transitions }: Perceptron): (emissions: Emissions) => TaggedSpan[] {
  const steps = Float64Array.from(transitions, (score) => Math.exp(score * scale));
  return (emissions) => {
    const spans = spansOf(bestTags(transitions, emissions));
    if (spans.length === 0) return spans;
    const weights = weigh(emissions);
    const lattice = { steps, weights, ahead: sumAhead(steps, weights), behind: sumBehind(steps, weights) };
    return spans.map((span) => ({ ...span, score: shareOf(span, lattice) }));
  };
}
