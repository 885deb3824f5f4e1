import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cleanText, findWords, maxSentenceLength, sentenceSpans, splitSentences } from '../src/index.js';

const fragment = fc.constantFrom(
  'Hello there. ', 'Dr. Who? ', '😀 ', 'e\u0301t\u00e9. ', '\u05e9\u05dc\u05d5\u05dd. ', '\r\n', '\r\n\r\n', '\n\n', ' \t',
  '你好。', '👩‍👩‍👧 ok! ', '\u200f', 'x'.repeat(50), '3.14 ', '\u2029',
); // prettier-ignore
const prose = fc.oneof(
  fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 80 }).map(cleanText),
);
const slice = (text: string, { begin, end }: { begin: number; end: number }): string =>
  Array.from(text).slice(begin, end).join('');
const texts = (text: string): string[] => splitSentences(text).map((sentence) => sentence.text);

describe('splitSentences', () => {
  it('claims exactly the text at its code-point offsets, in order, without overlap', () => {
    fc.assert(
      fc.property(prose, (text) => {
        let last = 0;
        for (const sentence of splitSentences(text)) {
          expect(slice(text, sentence)).toBe(sentence.text);
          expect(sentence.begin).toBeGreaterThanOrEqual(last);
          expect(sentence.end).toBeGreaterThan(sentence.begin);
          last = sentence.end;
        }
      }),
    );
  });

  it('loses nothing but white space', () => {
    fc.assert(
      fc.property(prose, (text) => expect(texts(text).join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))),
    );
  });

  it.each([
    ['ends a sentence at its stop', 'It works. It does!', ['It works.', 'It does!']],
    [
      'keeps a title with its name',
      'Dr. Smith met Mr. Jones. They spoke.',
      ['Dr. Smith met Mr. Jones.', 'They spoke.'],
    ],
    ['keeps an initial with its name', 'John F. Kennedy spoke.', ['John F. Kennedy spoke.']],
    [
      'keeps initials with a name',
      'J.K. Rowling and Lt. Gen. Mark Ray spoke.',
      ['J.K. Rowling and Lt. Gen. Mark Ray spoke.'],
    ],
    [
      'goes on after U.S. before a name, and ends there before a word that begins a sentence',
      'U.S. District Judge Ann Lee left the U.S. The U.N. Security Council met.',
      ['U.S. District Judge Ann Lee left the U.S.', 'The U.N. Security Council met.'],
    ],
    [
      'keeps the number of a figure, case or day with it, and ends at a plain no',
      'See Fig. 3 and No. 4 of Nov. 11, 2021. “No. I will not.”',
      ['See Fig. 3 and No. 4 of Nov. 11, 2021.', '“No.', 'I will not.”'],
    ],
    [
      'ends at words that are titles only with a capital',
      'She loves art. He is a rep. They met.',
      ['She loves art.', 'He is a rep.', 'They met.'],
    ],
    [
      'keeps what somebody says with who says it',
      '“Stop!” she said. “Why?” He left.',
      ['“Stop!” she said.', '“Why?”', 'He left.'],
    ],
    [
      'keeps an office with its company',
      'Apple Inc. Chief Executive Tim Cook left Acme Corp. The firm is big.',
      ['Apple Inc. Chief Executive Tim Cook left Acme Corp.', 'The firm is big.'],
    ],
    [
      'ends after et al. where the next begins',
      'See Smith et al. The method works.',
      ['See Smith et al.', 'The method works.'],
    ],
    ['reads over a soft line end', 'one line\r\nand the next.', ['one line\r\nand the next.']],
    ['ends at a blank line without a stop', 'A heading\r\n\r\nA body', ['A heading', 'A body']],
    ['does not take one CRLF for a blank line', 'a\r\nb', ['a\r\nb']],
    ['does not end inside a number', 'Pi is 3.14 here.', ['Pi is 3.14 here.']],
    ['has no sentence in an empty text', ' \n\n ', []],
    ['keeps the number of an item with it', '1. Services\n1.1 We work.', ['1. Services', '1.1 We work.']],
    ['parts items of a list', 'We need\n- 2 onions\n- salt', ['We need', '- 2 onions', '- salt']],
    ['parts columns of a table', 'Total      12\nSum       24', ['Total      12', 'Sum       24']],
    [
      'parts a headline and a byline',
      'Bridge closed\nBy Jane Doe\nThe town’s only bridge was closed on Monday.',
      ['Bridge closed', 'By Jane Doe', 'The town’s only bridge was closed on Monday.'],
    ],
    [
      'reads over a line that is only wrapped',
      'It was the best of times, it was\nThe Worst of times, it was the\nAge of wisdom, and so on.',
      ['It was the best of times, it was\nThe Worst of times, it was the\nAge of wisdom, and so on.'],
    ],
    ['ends at an ideographic stop', '你好。再见。', ['你好。', '再见。']],
  ])('%s', (_promise, text, expected) => {
    expect(texts(text)).toEqual(expected);
  });
});

/** Processor time of this thread in ms: what other processes of a shared machine take is no fault of the code's. */
const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Longest computation for the next sentence; it is measured upwards only, so the best of a few runs counts. */
const longestPauseMs = (text: string): number => {
  const runs = Array.from({ length: 3 }, () => {
    const spans = sentenceSpans(text);
    let longest = 0;
    for (let before = threadMs(), step = spans.next(); step.done !== true; step = spans.next()) {
      longest = Math.max(longest, threadMs() - before);
      before = threadMs();
    }
    return longest;
  });
  return Math.min(...runs);
};

describe('sentenceSpans', () => {
  it.each([
    ['one letter', 'a'.repeat(1_000_000)],
    ['emoji', '😀'.repeat(500_000)],
    ['abbreviations', 'Dr. '.repeat(250_000)],
    ['lines of a table', 'a,b,c\n'.repeat(170_000)],
    ['one word and white space', `a${' '.repeat(1_000_000)}b`],
    ['blank lines', 'a\n\n'.repeat(300_000)],
  ])('cuts 1 MB of %s into bounded pieces without a long pause', (_name, text) => {
    const lengths = Array.from(sentenceSpans(text), ({ begin, end }) => end - begin);
    expect(lengths.length).toBeGreaterThan(0);
    expect(lengths.every((length) => length > 0 && length <= maxSentenceLength)).toBe(true);
    expect(longestPauseMs(text)).toBeLessThan(50);
  });

  it('never cuts a surrogate pair', () => {
    const spans = [...sentenceSpans(`a${'😀'.repeat(10_000)}`)];
    expect(spans.length).toBeGreaterThan(1);
    expect(spans.every(({ begin, end }) => `a${'😀'.repeat(10_000)}`.slice(begin, end).isWellFormed())).toBe(true);
  });
});

describe('findWords', () => {
  it('finds words with their places, marks and inner apostrophes', () => {
    const text = '“Don’t,” she said: l\u2019eau e\u0301te 42!';
    const words = findWords(text);
    expect(words.map((word) => word.text)).toEqual(['Don’t', 'she', 'said', 'l’eau', 'e\u0301te', '42']);
    expect(words.every((word) => text.slice(word.begin, word.end) === word.text)).toBe(true);
  });
});
