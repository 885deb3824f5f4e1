import type { SummaryResultInput, SummarySentenceInput } from '@anabranch/contracts';
import type { Offsets } from '@anabranch/text';
import { readTerms, type SentenceTerms, type TermTable } from './sentence-terms.js';
import { type RankedSentences, rankSentences } from './text-rank.js';

/** What the engine reads: a cleaned text and its table of offsets. */
export interface SummaryInput {
  text: string;
  offsets: Offsets;
}

interface Candidate {
  /** Number of the sentence in its table. */
  index: number;
  score: number;
}

/** Most sentences of a summary. */
export const maxSentences = 10;
// A summary of more sentences than this takes one from each part of the document, so that it covers all of it.
const maxFromAnywhere = 5;
// Kept per part: enough to choose from when near-repeats are passed over.
const maxCandidates = 16;
const maxSimilarity = 0.5;
const usualLength = { min: 4, max: 60 };
const positionWeight = 0.5;
const cueWeight = 0.3;
// What a fragment is worth in a text of sentences. A text that consists of them – a list, a table – is another matter.
const fragmentFactor = 0.1;
const minShareOfSentences = 0.3;

// Edmundson's cue phrases (1969): where a text says itself what it is about.
const cue =
  /\b(?:we (?:\p{L}+ly |also |here |then |further |first )?(?:propose|present|introduce|describe|show|demonstrate|develop|study|investigate|find|address|examine|argue|analy[sz]e|report|explore|prove|evaluate|conclude)|this (?:paper|article|study|report|work|letter|document|memo|thesis|survey|essay|brief)|in (?:summary|conclusion|short|brief)|to (?:summari[sz]e|conclude|sum up))\b/iu;

const round = (value: number): number => Math.round(value * 10_000) / 10_000;

/** How many sentences stand for a document of so many: they grow with the square root, up to ten. */
const summaryLength = (sentenceCount: number): number =>
  Math.max(1, Math.min(maxSentences, Math.round(Math.sqrt(sentenceCount) / 1.7)));

/** Keeps the best candidates in order of score; of two equal ones the earlier sentence. */
const offer = (best: Candidate[], candidate: Candidate): void => {
  const worst = best.at(-1);
  if (best.length === maxCandidates && worst !== undefined && worst.score >= candidate.score) return;
  const place = best.findIndex((other) => other.score < candidate.score);
  best.splice(place === -1 ? best.length : place, 0, candidate);
  best.length = Math.min(best.length, maxCandidates);
};

/** Whether fragments are passed over: where most of a text consists of them, all count alike. */
const isProse = ({ whole }: TermTable): boolean => whole.length >= minShareOfSentences * whole.of;

/** A sentence's worth: central in the document, near its begin, and saying what it is about; less when it is no sentence. */
const scoreOf = (
  sentence: string,
  { length, isWhole }: SentenceTerms,
  { rank, place }: { rank: number; place: number },
): number => {
  const score = rank + positionWeight / (1 + place) + (cue.test(sentence) ? cueWeight : 0);
  const fitting = length >= usualLength.min && length <= usualLength.max ? score : score / 2;
  return isWhole ? fitting : fitting * fragmentFactor;
};

/** The best sentences of each part of the document, best first. */
function* bestOfParts(
  text: string,
  table: TermTable,
  { ranks, parts }: { ranks: Float64Array; parts: number },
): Generator<void, Candidate[][]> {
  const best: Candidate[][] = Array.from({ length: parts }, () => []);
  const isAllAlike = !isProse(table);
  let place = 0;
  for (let index = 0; index < table.rows; index += 1) {
    const found = table.sentenceAt(index);
    const sentence = { ...found, isWhole: found.isWhole || isAllAlike };
    const rank = ranks[index] ?? 0;
    const score = scoreOf(text.slice(sentence.begin, sentence.end), sentence, { rank, place });
    if (sentence.isWhole) place += 1;
    offer(best[Math.floor((index * parts) / table.rows)] ?? [], { index, score });
    yield;
  }
  return best;
}

/** So many of the candidates, in their order, without those that say what was chosen before. */
const unlike = (
  candidates: readonly Candidate[],
  chosen: readonly Candidate[],
  { count, similarity }: { count: number; similarity: RankedSentences['similarity'] },
): Candidate[] => {
  const taken: Candidate[] = [];
  for (const candidate of candidates) {
    if (taken.length === count) break;
    const isRepeat = [...chosen, ...taken].some((other) => similarity(candidate.index, other.index) > maxSimilarity);
    if (!isRepeat) taken.push(candidate);
  }
  return taken;
};

const topScore = (parts: readonly Candidate[][]): number =>
  parts.reduce((top, [best]) => Math.max(top, best?.score ?? 0), 0) || 1;

/**
 * An extractive summary: the sentences that are most central in the document, with a prior for those at its begin and
 * for those that say what it is about; near-repeats are passed over. In document order. Deterministic and linear; yields
 * after each sentence that it reads.
 */
export function* summarise({ text, offsets }: SummaryInput): Generator<void, SummaryResultInput> {
  const table = yield* readTerms(text);
  const { ranks, similarity } = yield* rankSentences(table);
  const count = summaryLength(isProse(table) ? table.whole.rows : table.rows);
  const parts = count > maxFromAnywhere ? count : 1;
  const best = yield* bestOfParts(text, table, { ranks, parts });
  const chosen: Candidate[] = [];
  for (const candidates of best) chosen.push(...unlike(candidates, chosen, { count: count / parts, similarity }));
  const top = topScore(best);
  const shown = chosen
    .sort((one, other) => one.index - other.index)
    .map(({ index, score }): SummarySentenceInput => {
      const { begin, end } = table.sentenceAt(index);
      const place = { begin: offsets.toCodePoint(begin), end: offsets.toCodePoint(end) };
      return { text: text.slice(begin, end), ...place, rankScore: round(score / top) };
    });
  return {
    kind: 'EXTRACTIVE',
    text: shown.map((sentence) => sentence.text.replace(/\s+/g, ' ')).join(' '),
    sentences: shown,
    coverage: {
      strategy: 'single',
      chunks: 1,
      sentencesRead: table.sentenceCount,
      sentencesTotal: table.sentenceCount,
    },
  };
}
