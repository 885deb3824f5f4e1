import type { Column } from './column.js';
import type { TermTable } from './sentence-terms.js';

/** The sentences of a table, weighed and ranked. */
export interface RankedSentences {
  /** Of each sentence: how central it is, the most central has 1. */
  ranks: Float64Array;
  /** Cosine of two sentences' TF-IDF vectors, by their numbers. */
  similarity(one: number, other: number): number;
}

// PageRank's damping, and when to stop: ranks of a summary's sentences hold still long before.
const damping = 0.85;
const maxRounds = 30;
const tolerance = 1e-4;
const sentencesPerStep = 64;

interface Addition {
  factor: number;
  vector: Float64Array;
}

interface Matrix {
  rows: number;
  columns: number;
  /** `starts[row]` to `starts[row + 1]` are the row's entries. */
  starts: Int32Array;
  terms: Int32Array;
  /** TF-IDF of each entry; each row has the length 1. */
  weights: Float64Array;
}

const matrixOf = ({ rows, firstEntries, terms, counts, frequencies }: TermTable): Matrix => {
  const starts = new Int32Array(rows + 1).fill(terms.length);
  starts.set(firstEntries.toArray());
  const weights = Float64Array.from(counts.toArray());
  return { rows, columns: frequencies.length, starts, terms: terms.toArray(), weights };
};

const weigh = (matrix: Matrix, row: number, frequencies: Column): void => {
  const { rows, starts, terms, weights } = matrix;
  const [begin = 0, end = 0] = [starts[row], starts[row + 1]];
  let squares = 0;
  for (let entry = begin; entry < end; entry += 1) {
    const weight = (weights[entry] ?? 0) * Math.log1p(rows / frequencies.at(terms[entry] ?? 0));
    weights[entry] = weight;
    squares += weight * weight;
  }
  for (let entry = begin; entry < end; entry += 1) weights[entry] = (weights[entry] ?? 0) / Math.sqrt(squares);
};

/** Adds a row, times a factor, to a vector of terms. */
const scatter = ({ starts, terms, weights }: Matrix, row: number, { factor, vector }: Addition): void => {
  for (let entry = starts[row] ?? 0, end = starts[row + 1] ?? 0; entry < end; entry += 1) {
    const term = terms[entry] ?? 0;
    vector[term] = (vector[term] ?? 0) + factor * (weights[entry] ?? 0);
  }
};

/** Product of a row and a vector of terms. */
const gather = ({ starts, terms, weights }: Matrix, row: number, vector: Float64Array): number => {
  let sum = 0;
  for (let entry = starts[row] ?? 0, end = starts[row + 1] ?? 0; entry < end; entry += 1) {
    sum += (vector[terms[entry] ?? 0] ?? 0) * (weights[entry] ?? 0);
  }
  return sum;
};

function* eachRow({ rows }: Matrix, visit: (row: number) => void): Generator<void, void> {
  for (let row = 0; row < rows; row += 1) {
    visit(row);
    if (row % sentencesPerStep === 0) yield;
  }
}

/**
 * One round: every sentence gives its rank to the others, in proportion to their similarity. The similarities are never
 * written down (they are a square of the sentences): what a sentence gives lies as a sum over terms, so a round costs as
 * much as there are entries in the table. What it would give to itself is taken back.
 */
function* round(matrix: Matrix, ranks: Float64Array, degrees: Float64Array): Generator<void, number> {
  const given = new Float64Array(matrix.columns);
  const gives = (row: number): number => {
    const degree = degrees[row] ?? 0;
    return degree > tolerance ? (ranks[row] ?? 0) / degree : 0;
  };
  yield* eachRow(matrix, (row) => scatter(matrix, row, { factor: gives(row), vector: given }));
  let change = 0;
  yield* eachRow(matrix, (row) => {
    const rank = 1 - damping + damping * (gather(matrix, row, given) - gives(row));
    change = Math.max(change, Math.abs(rank - (ranks[row] ?? 0)));
    ranks[row] = rank;
  });
  return change;
}

const similarityIn =
  (matrix: Matrix) =>
  (one: number, other: number): number => {
    const vector = new Map<number, number>();
    for (let entry = matrix.starts[one] ?? 0; entry < (matrix.starts[one + 1] ?? 0); entry += 1) {
      vector.set(matrix.terms[entry] ?? 0, matrix.weights[entry] ?? 0);
    }
    let sum = 0;
    for (let entry = matrix.starts[other] ?? 0; entry < (matrix.starts[other + 1] ?? 0); entry += 1) {
      sum += (vector.get(matrix.terms[entry] ?? 0) ?? 0) * (matrix.weights[entry] ?? 0);
    }
    return sum;
  };

/**
 * TextRank (Mihalcea and Tarau, 2004) over the cosine of TF-IDF vectors. Linear in the sentences and deterministic;
 * yields every few sentences.
 */
export function* rankSentences(table: TermTable): Generator<void, RankedSentences> {
  const matrix = matrixOf(table);
  yield* eachRow(matrix, (row) => weigh(matrix, row, table.frequencies));
  const total = new Float64Array(matrix.columns);
  yield* eachRow(matrix, (row) => scatter(matrix, row, { factor: 1, vector: total }));
  const degrees = new Float64Array(matrix.rows);
  yield* eachRow(matrix, (row) => {
    degrees[row] = gather(matrix, row, total) - 1;
  });
  const ranks = new Float64Array(matrix.rows).fill(1);
  for (let count = 0, change = 1; count < maxRounds && change > tolerance; count += 1) {
    change = yield* round(matrix, ranks, degrees);
  }
  const highest = ranks.reduce((best, rank) => Math.max(best, rank), 0);
  return { ranks: ranks.map((rank) => rank / highest), similarity: similarityIn(matrix) };
}
