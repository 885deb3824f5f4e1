import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** The 13 tags, by index: O, then begin, inside, end and single of each type. */
export const tagCount = 13;
export const nameTypes = ['PERSON', 'ORGANIZATION', 'LOCATION'] as const;
export type NameType = (typeof nameTypes)[number];

/** Positions of a tag within its type; O has none. */
export const positions = { begin: 0, inside: 1, end: 2, single: 3 } as const;

/** The tag of a type at a position in its span. */
export const tagOf = (type: number, position: number): number => 1 + type * 4 + position;
export const typeOfTag = (tag: number): number => (tag - 1) >> 2;
export const positionOfTag = (tag: number): number => (tag - 1) & 3;

/** Weights of the tagger. All scores are in tenths, so that they are whole numbers. */
export interface Perceptron {
  /** Row of a feature in `weights`. */
  rows: ReadonlyMap<string, number>;
  /** One row of `tagCount` scores per feature. */
  weights: Int16Array;
  /** Score of a tag after a tag: previous × tagCount + next. Row 0 (O) also serves as the start. */
  transitions: Int32Array;
}

interface StoredPerceptron {
  tags: string[];
  tr: number[];
  f: Record<string, number[]>;
}

const expectedTags = 'O,B-PER,I-PER,E-PER,S-PER,B-ORG,I-ORG,E-ORG,S-ORG,B-LOC,I-LOC,E-LOC,S-LOC';

/** Reads weights (format: model/README.md). About a third of a second: once, at start. */
export function loadPerceptron(file: URL): Perceptron {
  const { tags, tr, f } = JSON.parse(brotliDecompressSync(readFileSync(file)).toString('utf8')) as StoredPerceptron;
  if (tags.join(',') !== expectedTags) throw new Error(`the weights are for other tags: ${tags.join(',')}`);
  const features = Object.entries(f);
  const weights = new Int16Array(features.length * tagCount);
  const rows = new Map<string, number>();
  for (const [row, [feature, pairs]] of features.entries()) {
    rows.set(feature, row);
    for (let at = 0; at < pairs.length; at += 2) weights[row * tagCount + (pairs[at] ?? 0)] = pairs[at + 1] ?? 0;
  }
  return { rows, weights, transitions: Int32Array.from(tr, (score) => Math.round(score * 10)) };
}
