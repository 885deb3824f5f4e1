import { type AnsweredChunk, askPerChunk, type ModelPrompt, readChunks } from '@anabranch/analysis-runtime/definition';
import type { SentenceSentiment, Sentiment, SentimentEvidence, SentimentResult } from '@anabranch/contracts';
import { createQuoteFinder, type Offsets, sentenceSpans, type Span } from '@anabranch/text';
import { askForSentiment } from './sentiment.prompt.js';
import type { JudgedChunk } from './sentiment.reply.js';

type Judged = AnsweredChunk<JudgedChunk>;

/** A quote that stands in the document, in UTF-16 units. */
interface Shown extends Span {
  isPositive: boolean;
}

const mixedShare = 0.4;
/** Most entries of `sentences` and of `evidence`. */
const maxListed = 1_000;

const round = (value: number): number => Math.round(value * 10_000) / 10_000;
const lengthOf = ({ chunk }: Judged): number => chunk.end - chunk.begin;

/** Of several chunks: the side with more text behind it, or MIXED when the weaker one has 40 % of both. */
function overall(judged: readonly Judged[]): Sentiment {
  const [only] = judged;
  if (judged.length === 1 && only !== undefined) return only.answer.sentiment;
  const weight = { POSITIVE: 0, NEGATIVE: 0, NEUTRAL: 0, MIXED: 0 };
  for (const each of judged) weight[each.answer.sentiment] += lengthOf(each);
  const positive = weight.POSITIVE + weight.MIXED / 2;
  const negative = weight.NEGATIVE + weight.MIXED / 2;
  if (positive + negative <= weight.NEUTRAL) return 'NEUTRAL';
  if (Math.min(positive, negative) >= mixedShare * (positive + negative)) return 'MIXED';
  return positive > negative ? 'POSITIVE' : 'NEGATIVE';
}

/** The chunks' shares, each by its length; what the model says about itself, no probability. */
function scoresOf(judged: readonly Judged[]): SentimentResult['scores'] {
  const sums = { positive: 0, negative: 0, neutral: 0 };
  let length = 0;
  for (const each of judged) {
    const { shares } = each.answer;
    if (shares === null) continue;
    length += lengthOf(each);
    for (const side of ['positive', 'negative', 'neutral'] as const) sums[side] += shares[side] * lengthOf(each);
  }
  if (length === 0) return { positive: null, negative: null, neutral: null, scoreKind: 'NONE' };
  const positive = round(sums.positive / length);
  const negative = round(sums.negative / length);
  return { positive, negative, neutral: round(1 - positive - negative), scoreKind: 'MODEL_SELF_REPORT' };
}

/** Where the quotes of a chunk stand; what stands nowhere is counted. Yields after each quote. */
function* findQuotes({ chunk, answer }: Judged): Generator<void, { shown: Shown[]; missing: number }> {
  const finder = createQuoteFinder(chunk.text);
  const shown: Shown[] = [];
  let missing = 0;
  for (const { quote, sentiment } of answer.evidence) {
    const [place] = finder.find(quote);
    if (place === undefined) missing += 1;
    else
      shown.push({
        begin: chunk.begin + place.begin,
        end: chunk.begin + place.end,
        isPositive: sentiment === 'POSITIVE',
      });
    yield;
  }
  return { shown, missing };
}

const sideOf = (shown: readonly Shown[]): Sentiment => {
  const positive = shown.filter(({ isPositive }) => isPositive).length;
  if (positive > 0 && positive < shown.length) return 'MIXED';
  return positive > 0 ? 'POSITIVE' : 'NEGATIVE';
};

/** The sentences in which something was quoted. Both lists are in order. Yields after each sentence. */
function* sentencesWith(text: string, shown: readonly Shown[], offsets: Offsets): Generator<void, SentenceSentiment[]> {
  const sentences: SentenceSentiment[] = [];
  let next = 0;
  for (const { begin, end } of sentenceSpans(text)) {
    const inside: Shown[] = [];
    for (let quote = shown[next]; quote !== undefined && quote.begin < end; quote = shown[next]) {
      inside.push(quote);
      next += 1;
    }
    if (inside.length > 0 && sentences.length < maxListed) {
      const place = { begin: offsets.toCodePoint(begin), end: offsets.toCodePoint(end) };
      sentences.push({ ...place, sentiment: sideOf(inside), score: null });
    }
    yield;
  }
  return sentences;
}

const toEvidence = (text: string, { begin, end, isPositive }: Shown, offsets: Offsets): SentimentEvidence => ({
  text: text.slice(begin, end),
  begin: offsets.toCodePoint(begin),
  end: offsets.toCodePoint(end),
  weight: isPositive ? 1 : -1,
});

const missingQuotes = (count: number): string[] =>
  count === 0 ? [] : [`${count} quotes of the model do not stand in the text, and are left out.`];

/** The sentiment as a model reads it, chunk by chunk, each by its length; what it quotes is looked for in the text. */
export const judgeByModel: ModelPrompt<'sentiment'> = {
  version: '1',
  *answer({ text, offsets }, { chunkCharacters }) {
    const chunks = yield* readChunks(text, chunkCharacters);
    const judged = yield* askPerChunk(chunks, askForSentiment);
    const shown: Shown[] = [];
    let missing = 0;
    for (const each of judged) {
      const found = yield* findQuotes(each);
      shown.push(...found.shown);
      missing += found.missing;
    }
    shown.sort((one, other) => one.begin - other.begin);
    const result = {
      sentiment: overall(judged),
      decided: true,
      reason: null,
      scores: scoresOf(judged),
      sentences: yield* sentencesWith(text, shown, offsets),
      evidence: shown.slice(0, maxListed).map((quote) => toEvidence(text, quote, offsets)),
    };
    return { result, warnings: missingQuotes(missing) };
  },
};
