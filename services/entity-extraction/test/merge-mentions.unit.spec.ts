import { describe, expect, it } from '@jest/globals';
import { runAtOnce } from '@anabranch/analysis-runtime/testing';
import { findMeasures } from '../src/dates-and-quantities.js';
import { type FoundMention, mergeMentions } from '../src/merge-mentions.js';

type Told = readonly [type: FoundMention['type'], text: string];

const merge = (told: readonly Told[]): string[] => {
  const mentions = told.map(([type, text], index): FoundMention => {
    return { type, text, begin: index * 100, end: index * 100 + text.length, score: null, scoreKind: 'NONE' };
  });
  return runAtOnce(mergeMentions(mentions)).map(({ name, mentions: merged }) => `${name} ×${merged.length}`);
};

describe('mergeMentions', () => {
  it.each<[string, Told[], string[]]>([
    [
      'company suffixes and articles',
      [
        ['ORGANIZATION', 'Acme'],
        ['ORGANIZATION', 'Acme, Inc.'],
        ['ORGANIZATION', 'the Acme Company'],
      ],
      ['the Acme Company ×3'],
    ],
    [
      'possessives and case',
      [
        ['PERSON', 'Jane Doe'],
        ['PERSON', 'JANE DOE'],
        ['PERSON', 'Jane Doe’s'],
      ],
      ['Jane Doe’s ×3'],
    ],
    [
      'a line end inside a name',
      [
        ['LOCATION', 'New\r\nYork'],
        ['LOCATION', 'New York'],
      ],
      ['New York ×2'],
    ],
    [
      'a surname before its full name',
      [
        ['PERSON', 'Doe'],
        ['PERSON', 'Jane Doe'],
      ],
      ['Jane Doe ×2'],
    ],
    [
      'an acronym with its expansion',
      [
        ['ORGANIZATION', 'United Nations'],
        ['ORGANIZATION', 'U.N.'],
        ['ORGANIZATION', 'UN'],
      ],
      ['United Nations ×3'],
    ],
    [
      'small words left out of an acronym',
      [
        ['ORGANIZATION', 'Bank of England'],
        ['ORGANIZATION', 'BE'],
      ],
      ['Bank of England ×2'],
    ],
  ])('gathers %s', (_name, told, expected) => {
    expect(merge(told)).toEqual(expected);
  });

  it.each<[string, Told[], string[]]>([
    [
      'one spelling of two types',
      [
        ['PERSON', 'Washington'],
        ['LOCATION', 'Washington'],
      ],
      ['Washington ×1', 'Washington ×1'],
    ],
    [
      'a surname that two share',
      [
        ['PERSON', 'Jane Doe'],
        ['PERSON', 'John Doe'],
        ['PERSON', 'Doe'],
      ],
      ['Jane Doe ×1', 'John Doe ×1', 'Doe ×1'],
    ],
    [
      'an acronym with two expansions',
      [
        ['ORGANIZATION', 'Alpha Beta'],
        ['ORGANIZATION', 'Atlas Bank'],
        ['ORGANIZATION', 'AB'],
      ],
      ['Alpha Beta ×1', 'Atlas Bank ×1', 'AB ×1'],
    ],
    [
      'a company that is nothing but its suffix',
      [
        ['ORGANIZATION', 'Company'],
        ['ORGANIZATION', 'The Limited'],
      ],
      ['Company ×1', 'The Limited ×1'],
    ],
  ])('keeps apart %s', (_name, told, expected) => {
    expect(merge(told)).toEqual(expected);
  });
});

describe('findMeasures', () => {
  const measures = (text: string): string[] =>
    findMeasures(text, { begin: 0, end: text.length }).map(
      ({ type, begin, end }) => `${type} ${text.slice(begin, end)}`,
    );

  it.each([
    ['On Friday, May 3rd, 2021 and 3 May', ['DATE Friday, May 3rd, 2021', 'DATE 3 May']],
    ['2024-02-29, 02/29/24 and 29.02.2024', ['DATE 2024-02-29', 'DATE 02/29/24', 'DATE 29.02.2024']],
    ['in October 1945', ['DATE October 1945']],
    [
      '$5 million, US$3.5bn, €1,000.50 and EUR 20',
      ['QUANTITY $5 million', 'QUANTITY US$3.5bn', 'QUANTITY €1,000.50', 'QUANTITY EUR 20'],
    ],
    [
      '2,400 square kilometres, 38 nautical miles, 1.32 billion kroner, 12,500 EUR, 90 km/h and 31 squares',
      [
        'QUANTITY 2,400 square kilometres',
        'QUANTITY 38 nautical miles',
        'QUANTITY 1.32 billion kroner',
        'QUANTITY 12,500 EUR',
        'QUANTITY 90 km/h',
      ],
    ],
    [
      '12 %, 3.5 percent, 40 million dollars, 10 km',
      ['QUANTITY 12 %', 'QUANTITY 3.5 percent', 'QUANTITY 40 million dollars', 'QUANTITY 10 km'],
    ],
  ])('reads %s', (text, expected) => {
    expect(measures(text)).toEqual(expected);
  });

  it.each(['in May', 'on Sunday', '2021', 'version 1.2.3', '12 people', '192.168.10.2000', 'march 12 soldiers'])(
    'reads no date or quantity into %s',
    (text) => {
      expect(measures(text)).toEqual([]);
    },
  );
});
