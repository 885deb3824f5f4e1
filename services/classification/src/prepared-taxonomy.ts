import { compilePattern, type Pattern, type Taxonomy } from '@anabranch/rules';
import { indexKeywords, type KeywordIndex } from './keyword-index.js';
import { type Classifier, trainClassifier } from './naive-bayes.js';

/** A pattern, and the label that it speaks for. */
interface LabelledPattern {
  label: string;
  source: string;
  pattern: Pattern;
}

/** A taxonomy, ready to be applied. */
export interface PreparedTaxonomy {
  keywords: KeywordIndex;
  patterns: readonly LabelledPattern[];
  /** Null when there are too few examples to learn from. */
  classifier: Classifier | null;
}

// Training takes longer than reading a document, and a taxonomy is data that never changes within a version.
const prepared = new WeakMap<Taxonomy, PreparedTaxonomy>();

function* prepare(taxonomy: Taxonomy): Generator<void, PreparedTaxonomy> {
  const keywords = yield* indexKeywords(taxonomy);
  const patterns: LabelledPattern[] = [];
  for (const { name, patterns: sources } of taxonomy.labels) {
    for (const source of sources) {
      patterns.push({ label: name, source, pattern: compilePattern(source) });
      yield;
    }
  }
  return { keywords, patterns, classifier: yield* trainClassifier(taxonomy) };
}

/** Prepares a taxonomy, once for each object. Yields after each label, pattern and example. */
export function* prepareTaxonomy(taxonomy: Taxonomy): Generator<void, PreparedTaxonomy> {
  const known = prepared.get(taxonomy) ?? (yield* prepare(taxonomy));
  prepared.set(taxonomy, known);
  return known;
}
