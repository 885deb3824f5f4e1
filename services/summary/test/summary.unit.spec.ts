import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { runAtOnce } from '@anabranch/analysis-runtime/testing';
import { createOffsets } from '@anabranch/text';
import type { SummaryResultInput } from '@anabranch/contracts';
import { readTerms } from '../src/sentence-terms.js';
import { maxSentences, summarise } from '../src/summary.engine.js';
import { rankSentences } from '../src/text-rank.js';

const run = (text: string): SummaryResultInput => runAtOnce(summarise({ text, offsets: createOffsets(text) }));

const article = readFileSync(new URL('./fixtures/document.txt', import.meta.url), 'utf8');
const filler = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `Boat${index} met storm${index} near cape${index} under moon${index}.`,
  ).join(' ');

describe('summarise', () => {
  it('picks the sentences about what the document is about, in document order', () => {
    const { kind, text, sentences } = run(article);
    expect(kind).toBe('EXTRACTIVE');
    expect(sentences[0]?.text).toBe('The city council voted on Tuesday to rebuild the old harbour bridge.');
    expect(text).toContain('bridge');
    expect(text).not.toContain('raining');
    const begins = sentences.map(({ begin }) => begin ?? -1);
    expect(begins).toEqual(begins.toSorted((one, other) => one - other));
  });

  it('says how many sentences it read, and ranks the best with 1', () => {
    const { sentences, coverage } = run(article);
    expect(coverage).toEqual({ strategy: 'single', chunks: 1, sentencesRead: 10, sentencesTotal: 10 });
    const ranks = sentences.map(({ rankScore }) => rankScore ?? 0);
    expect(Math.max(...ranks)).toBe(1);
    expect(Math.min(...ranks)).toBeGreaterThan(0);
  });

  it.each([
    [1, 1],
    [4, 1],
    [9, 2],
    [30, 3],
    [2_000, maxSentences],
  ])('grows with the document, up to ten: of %p sentences it keeps %p', (count, kept) => {
    expect(run(filler(count)).sentences).toHaveLength(kept);
  });

  it('takes a long document part by part, so that it covers all of it', () => {
    const chapter = (topic: string): string =>
      Array.from({ length: 100 }, (_, index) => `The ${topic} of year ${index} moved ${topic} number ${index}.`).join(
        ' ',
      );
    const topics = ['harvest', 'railway', 'parliament', 'hospital', 'university'];
    const { text } = run(topics.map(chapter).join('\n\n'));
    expect(topics.filter((topic) => text.includes(topic))).toEqual(topics);
  });

  it('passes over a sentence that says the same again', () => {
    const text = `${'The bridge over the river is closed for repairs. '.repeat(3)}${filler(60)}`;
    const repeats = run(text).sentences.filter((sentence) => sentence.text.startsWith('The bridge'));
    expect(repeats).toHaveLength(1);
  });

  it('prefers the sentence that says what the document is about', () => {
    const background =
      'Rivers carry sand. Sand fills harbours. Harbours cost money. Money is short in towns by rivers.';
    const { text } = run(`${background} In this paper we describe how sand fills the harbours of towns by rivers.`);
    expect(text).toBe('In this paper we describe how sand fills the harbours of towns by rivers.');
  });

  it('passes over headings and fragments', () => {
    const { text } = run('Harbour news\n\nThe harbour bridge was closed after engineers found rust in its steel.');
    expect(text).toBe('The harbour bridge was closed after engineers found rust in its steel.');
  });

  it('takes neither headline, byline, rows of links, the head of a mail, nor what it quotes', () => {
    const { sentences } = run(
      [
        'Harbour bridge to close for repairs of the harbour bridge',
        'By Maria Okonkwo, Bridge Correspondent',
        'From: harbour bridge office',
        'The harbour bridge will be closed for six weeks while engineers replace bearings.',
        'The council said that the bridge must be safe before the bridge can open again.',
        '> Why is the harbour bridge not safe while the harbour bridge is open?',
        'Harbour | Bridge | Repairs | Sign up for news about the harbour bridge',
      ].join('\n'),
    );
    expect(sentences).toHaveLength(1);
    expect(sentences[0]?.text).toMatch(/^The (?:harbour bridge will be closed|council said)/);
  });

  it('chooses among the items of a text that is a list', () => {
    const items = ['- 2 lbs ripe tomatoes, peeled', '- 1 onion and 2 more tomatoes', '- 3 cups of broth of tomatoes'];
    expect(items).toContain(run(`Shopping\n${items.join('\n')}`).text);
  });

  it('joins its sentences to one text without the document’s line ends', () => {
    expect(run('A first line\r\nof one sentence about boats.').text).toBe('A first line of one sentence about boats.');
  });

  it('counts a bounded number of different words, and ranks all sentences', () => {
    const text = Array.from({ length: 3_000 }, (_, index) => `Word${index} stands here.`).join(' ');
    const table = runAtOnce(readTerms(text, 1_000));
    expect(table.frequencies).toHaveLength(1_000);
    expect(table.rows).toBe(3_000);
    const { ranks } = runAtOnce(rankSentences(table));
    expect(ranks).toHaveLength(3_000);
    expect(ranks.every((rank) => rank >= 0 && rank <= 1)).toBe(true);
  });

  it('shows the first sentence of a text without a word', () => {
    expect(run('😀 😀').sentences).toMatchObject([{ text: '😀 😀', begin: 0, end: 3, rankScore: 1 }]);
  });
});
