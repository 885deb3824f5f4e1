import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createQuoteFinder } from '../src/index.js';

const found = (text: string, quote: string): string[] =>
  createQuoteFinder(text)
    .find(quote)
    .map(({ begin, end }) => text.slice(begin, end));

describe('a quote', () => {
  it.each([
    ['as it is written', 'Acme and acme', 'Acme', ['Acme']],
    ['every time', 'Acme, then Acme again', 'Acme', ['Acme', 'Acme']],
    ['in another case, when it stands nowhere as written', 'ACME signed', 'Acme', ['ACME']],
    ['over a line end', 'the United\r\n  Nations met', 'United Nations', ['United\r\n  Nations']],
    ['with other quotation marks', 'the so-called “best” plan', '"best" plan', ['“best” plan']],
    ['with another dash and apostrophe', 'It’s 1990–95', "It's 1990-95", ['It’s 1990–95']],
    ['with white space around it', 'Acme signed', ' Acme\n', ['Acme']],
    ['beside characters of two units', '😀Acme😀', 'Acme', ['Acme']],
    ['in scripts without spaces', '会議はジュネーブで開かれた', 'ジュネーブ', ['ジュネーブ']],
  ])('is found %s', (_name, text, quote, expected) => {
    expect(found(text, quote)).toEqual(expected);
  });

  it.each([
    ['inside of a word', 'Johnson', 'John'],
    ['at the end of a word', 'a restart', 'art'],
    ['in a letter with an accent of its own', 'cafe\u0301', 'cafe'],
    ['when it is half of a pair', '😀', '\ud83d'],
    ['when it is nothing', 'some text', '  '],
    ['when it is not there', 'some text', 'other text'],
  ])('is not found %s', (_name, text, quote) => {
    expect(found(text, quote)).toEqual([]);
  });

  it('is found whatever the text, when it was cut from it between words, and stands where it is found', () => {
    const word = fc.constantFrom('Acme', 'acme', 'GENEVA', '“Best”', 'İstanbul', '😀', 'e\u0301t', 'straße', '会議');
    const gap = fc.constantFrom(' ', '  ', '\n', '\r\n', '\t');
    fc.assert(
      fc.property(fc.array(fc.tuple(word, gap), { minLength: 1, maxLength: 20 }), fc.nat(), fc.nat(), (parts, a, b) => {
        const text = parts.flat().join('');
        const [first, last] = [a % parts.length, b % parts.length].sort((one, other) => one - other) as [
          number,
          number,
        ];
        const quote = parts
          .slice(first, last + 1)
          .map(([token]) => token)
          .join(' ');
        const spans = createQuoteFinder(text).find(quote);
        expect(spans.length).toBeGreaterThan(0);
        for (const { begin, end } of spans) {
          expect(text.slice(begin, end).replace(/\s+/g, ' ').toLowerCase()).toBe(quote.toLowerCase());
        }
      }),
    );
  });
});
