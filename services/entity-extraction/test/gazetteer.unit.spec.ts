import { describe, expect, it } from '@jest/globals';
import { runAtOnce } from '@anabranch/analysis-runtime/testing';
import fc from 'fast-check';
import { compileGazetteer, type GazetteerEntry } from '../src/gazetteer.js';

const find = (entries: readonly GazetteerEntry[], text: string): string[] =>
  runAtOnce(runAtOnce(compileGazetteer({ entries })).find(text)).map(
    ({ begin, end, entry }) => `${entry.name}: ${text.slice(begin, end)}`,
  );

const entries: GazetteerEntry[] = [
  { name: 'Acme', type: 'CUSTOMER' },
  { name: 'Acme Rocket Works', type: 'SUPPLIER', aliases: ['ARW', 'Acme Rockets'] },
  { name: 'IT', type: 'DEPARTMENT' },
  { name: 'C++', type: 'LANGUAGE' },
  { name: 'Café Zoé', type: 'SITE' },
  { name: 'Yahoo! Inc.', type: 'CUSTOMER' },
];

describe('a gazetteer', () => {
  it.each([
    ['the longest name', 'At Acme Rocket Works they work', ['Acme Rocket Works: Acme Rocket Works']],
    ['the shorter one where the longer goes on otherwise', 'Acme Rocket fuel', ['Acme: Acme']],
    ['aliases under the entry’s name', 'acme rockets fly', ['Acme Rocket Works: acme rockets']],
    ['any case and any white space', 'ACME  rocket\r\nworks', ['Acme Rocket Works: ACME  rocket\r\nworks']],
    ['acronyms as they are written only', 'it is IT', ['IT: IT']],
    ['names with marks', 'We write C++ here', ['C++: C++']],
    ['accents however they are composed', 'im cafe\u0301 Zoe\u0301', ['Café Zoé: cafe\u0301 Zoe\u0301']],
    ['names across what looks like the end of a sentence', 'by Yahoo! Inc. now', ['Yahoo! Inc.: Yahoo! Inc.']],
    ['possessives', "Acme's rockets", ['Acme: Acme']],
    ['whole words only', 'Acmeology and SITE', []],
    [
      'names one after the other',
      'Acme Acme Rocket Works ARW',
      ['Acme: Acme', 'Acme Rocket Works: Acme Rocket Works', 'Acme Rocket Works: ARW'],
    ],
  ])('finds %s', (_name, text, expected) => {
    expect(find(entries, text)).toEqual(expected);
  });

  it('that is empty, or holds an empty name, finds nothing', () => {
    expect(find([], 'Acme')).toEqual([]);
    expect(find([{ name: ' ', type: 'X' }], 'Acme')).toEqual([]);
  });

  it('finds in order and without overlap what a search for each name would find first', () => {
    const word = fc.constantFrom('a', 'b', 'c');
    const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 1, maxLength: 6 }),
        fc.array(word, { maxLength: 30 }),
        (list, words) => {
          const expected: string[] = [];
          for (let at = 0; at < words.length;) {
            const fits = list.filter((each) => words.slice(at, at + each.split(' ').length).join(' ') === each);
            const longest = fits.toSorted((one, other) => other.length - one.length)[0];
            if (longest !== undefined) expected.push(longest);
            at += longest?.split(' ').length ?? 1;
          }
          // Single letters would count as acronyms if they were capitals.
          const found = find(
            list.map((each) => ({ name: each, type: 'T' })),
            words.join(' '),
          );
          expect(found.map((each) => each.split(': ')[1])).toEqual(expected);
        },
      ),
    );
  });

  it('of thousands of names reads at less than 5 s a megabyte, however the text repeats them', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => ({ name: `a a a a a a a a ${index}`, type: 'T' }));
    const finder = runAtOnce(compileGazetteer({ entries: many }));
    const before = process.cpuUsage().user;
    runAtOnce(finder.find('a '.repeat(100_000)));
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(1_000);
  });
});
