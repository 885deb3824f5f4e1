import { type AnsweredChunk, askPerChunk, type ModelPrompt, readChunks } from '@anabranch/analysis-runtime/definition';
import type { LabelEvidence } from '@anabranch/contracts';
import { createQuoteFinder, type Offsets } from '@anabranch/text';
import { judge } from './classification.engine.js';
import { askForLabels } from './classification.prompt.js';
import type { ScoredLabel } from './classification.reply.js';
import { defaultTaxonomy } from './default-taxonomy.js';
import { maxEvidence } from './label-evidence.js';
import { requireLabels } from './require-labels.js';

type LabelledChunk = AnsweredChunk<ScoredLabel[]>;

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

/** A label's scores over the chunks, each by its length. */
function scoresOf(labelled: readonly LabelledChunk[]): Map<string, number> {
  const scores = new Map<string, number>();
  const total = labelled.reduce((sum, { chunk }) => sum + chunk.end - chunk.begin, 0);
  for (const { chunk, answer } of labelled) {
    const share = (chunk.end - chunk.begin) / total;
    for (const { name, score } of answer) scores.set(name, (scores.get(name) ?? 0) + share * score);
  }
  return scores;
}

/** What a label's quotes are shown as, where they stand; what stands nowhere is counted. */
interface Evidence {
  places: Map<string, LabelEvidence[]>;
  missing: number;
}

/** Looks for the quotes of all labels; yields after each. */
function* findEvidence(labelled: readonly LabelledChunk[], offsets: Offsets): Generator<void, Evidence> {
  const places = new Map<string, LabelEvidence[]>();
  let missing = 0;
  for (const { chunk, answer } of labelled) {
    const finder = createQuoteFinder(chunk.text);
    for (const { name, quote } of answer.flatMap(({ name, quotes }) => quotes.map((quote) => ({ name, quote })))) {
      const [place] = finder.find(quote);
      const known = places.get(name) ?? [];
      places.set(name, known);
      if (place === undefined) missing += 1;
      else if (known.length < maxEvidence) {
        const begin = offsets.toCodePoint(chunk.begin + place.begin);
        const end = offsets.toCodePoint(chunk.begin + place.end);
        known.push({ text: chunk.text.slice(place.begin, place.end), begin, end, source: 'model' });
      }
      yield;
    }
  }
  return { places, missing };
}

const missingQuotes = (count: number): string[] =>
  count === 0 ? [] : [`${count} quotes of the model do not stand in the text, and are left out.`];

/**
 * The labels as a model scores them, chunk by chunk, each by its length. It reads names, descriptions and some keywords of
 * the taxonomy, no patterns and no examples; threshold and ranking are the taxonomy's.
 */
export const classifyByModel: ModelPrompt<'classification', Record<never, never>, 'taxonomy'> = {
  version: '1',
  *answer({ text, offsets }, { rules, chunkCharacters }) {
    const taxonomy = rules ?? defaultTaxonomy;
    requireLabels(taxonomy);
    const chunks = yield* readChunks(text, chunkCharacters);
    const labelled = yield* askPerChunk(chunks, (chunk) => askForLabels(taxonomy, chunk));
    const scores = scoresOf(labelled);
    const { places, missing } = yield* findEvidence(labelled, offsets);
    const labels = taxonomy.labels
      .map(({ name }) => ({
        name,
        score: round(scores.get(name) ?? 0),
        scoreKind: 'MODEL_SELF_REPORT' as const,
        evidence: places.get(name) ?? [],
      }))
      .sort((one, other) => other.score - one.score);
    return { result: judge(taxonomy, labels), warnings: missingQuotes(missing) };
  },
};
