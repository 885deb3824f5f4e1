import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { codePoints, runAtOnce } from '@anabranch/analysis-runtime/testing';
import type { AnalysedDocument } from '@anabranch/analysis-runtime/definition';
import { createOffsets } from '@anabranch/text';
import type { EntityInput } from '@anabranch/contracts';
import fc from 'fast-check';
import { entityExtraction } from '../src/entity-extraction.analysis.js';
import { extractEntities, maxMentions } from '../src/entity-extraction.engine.js';
import type { Gazetteer } from '../src/gazetteer.js';

const run = (text: string, gazetteer?: Gazetteer): EntityInput[] =>
  runAtOnce(extractEntities({ text, offsets: createOffsets(text), gazetteer })).result.entities;
const names = (text: string, gazetteer?: Gazetteer): string[] =>
  run(text, gazetteer).map(({ type, name }) => `${type} ${name}`);
const mentionsOf = (text: string, name: string): string[] =>
  run(text)
    .find((entity) => entity.name === name)
    ?.mentions.map((mention) => mention.text) ?? [];

const letter = readFileSync(new URL('./fixtures/document.txt', import.meta.url), 'utf8');

describe('extractEntities', () => {
  it('names the things of a letter by first mention', () => {
    expect(names(letter)).toEqual([
      'PERSON Jane Ellery',
      'PERSON Omar Haddad',
      'LOCATION New York City',
      'EMAIL jane.ellery@northwind.example',
      'URL https://www.northwind.example/contracts',
      'ORGANIZATION Bank of Bristol',
      'IBAN GB82 WEST 1234 5698 7654 32',
    ]);
    expect(run(letter).map(({ id }) => id)).toEqual(['e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7']);
  });

  it('gathers the mentions of one person in order', () => {
    const haddad = run(letter).find(({ name }) => name === 'Omar Haddad');
    expect(haddad?.mentions.map(({ begin, end }) => letter.slice(begin, end))).toEqual(['Omar Haddad', 'Omar Haddad']);
  });

  it('claims no more confidence than it has', () => {
    const kinds = run(letter).map(({ type, score, scoreKind }) => [
      type,
      score === null ? null : typeof score,
      scoreKind,
    ]);
    expect(kinds).toContainEqual(['PERSON', 'number', 'RANK']);
    expect(kinds).toContainEqual(['EMAIL', null, 'NONE']);
    expect(kinds).toContainEqual(['IBAN', 'number', 'VALIDATOR']);
  });

  it.each([
    ['an honorific outside a name', 'On Monday President Obama met Mrs. Merkel.', ['PERSON Obama', 'PERSON Merkel']],
    [
      'two places at a comma',
      'She flew from Washington, D.C. to Paris.',
      ['LOCATION Washington', 'LOCATION D.C.', 'LOCATION Paris'],
    ],
    [
      'a company to the end of its name',
      'He works for Goldman Sachs, Inc. in London.',
      ['ORGANIZATION Goldman Sachs, Inc.', 'LOCATION London'],
    ],
    ['peoples out', 'The Iraqi and Indian ministers met in Geneva.', ['LOCATION Geneva']],
    ['a telephone number', 'Call Jane Smith at +44 20 7946 0958.', ['PERSON Jane Smith', 'PHONE +44 20 7946 0958']],
    [
      'dates and quantities',
      'On 3 May 2021 they paid $5 million, or 12 %.',
      ['DATE 3 May 2021', 'QUANTITY $5 million', 'QUANTITY 12 %'],
    ],
    ['cards, national ids and secrets out', 'Card 4111 1111 1111 1111, SSN 123-45-6789, password: hunter2horse99.', []],
    [
      'headlines apart from what follows',
      'Letter from Paris\nLondon is far away from here.',
      ['LOCATION Paris', 'LOCATION London'],
    ],
    [
      'a name over a line that is only wrapped',
      'Last summer we went to New\nYork, a city that lies far\naway from where we live.',
      ['LOCATION New York'],
    ],
  ])('keeps %s', (_name, text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it('knows a name again where the sentence alone would not tell it', () => {
    const alone = 'BREYER agreed.';
    expect(names(alone)).not.toContain('PERSON BREYER');
    const told = 'Judge Stephen Breyer spoke. Mr. Breyer left. Dr. Breyer came back.';
    expect(mentionsOf(`${told} Later Breyer agreed.`, 'Stephen Breyer')).toEqual([
      'Stephen Breyer',
      'Breyer',
      'Breyer',
      'Breyer',
    ]);
  });

  it('merges a surname with the only full name that bears it', () => {
    const text = 'Angela Merkel came to Berlin. Mrs. Merkel spoke, and Merkel’s party listened.';
    expect(mentionsOf(text, 'Angela Merkel')).toEqual(['Angela Merkel', 'Merkel', 'Merkel']);
  });

  it('does not guess between two who share a surname', () => {
    const text = 'Bill Clinton met Hillary Clinton in New York. Later Mr. Clinton said nothing.';
    expect(mentionsOf(text, 'Bill Clinton')).toEqual(['Bill Clinton']);
    expect(mentionsOf(text, 'Hillary Clinton')).toEqual(['Hillary Clinton']);
  });

  it('lists a bounded number of mentions, and says up to where it read', async () => {
    const address = 'a@b.example ';
    const text = address.repeat(maxMentions + 2);
    const offsets = createOffsets(text);
    const document = { text, offsets } as unknown as AnalysedDocument;
    const context = { config: {}, rules: null, signal: new AbortController().signal };
    const { result, coverage, warnings } = await entityExtraction.analyse(document, context);
    expect(result.entities).toMatchObject([{ name: 'a@b.example' }]);
    expect(result.entities?.[0]?.mentions).toHaveLength(maxMentions);
    const charactersRead = address.length * maxMentions;
    expect(coverage).toEqual({ charactersRead, charactersTotal: text.length, truncated: true });
    expect(warnings).toEqual(['Only the first 100000 mentions are listed; send the document in parts to get all.']);
  }, 60_000);

  it('gives byte-wise the same result however often it runs', () => {
    expect(JSON.stringify(run(letter))).toBe(JSON.stringify(run(letter)));
  });

  it('finds the tenant’s own names, before what it knows itself', () => {
    const gazetteer: Gazetteer = {
      entries: [
        { name: 'Northwind Traders', type: 'CUSTOMER', aliases: ['Northwind'] },
        { name: 'New York City', type: 'SITE' },
      ],
    };
    expect(names(letter, gazetteer)).toContain('CUSTOM Northwind Traders');
    const [site] = run(letter, gazetteer).filter(({ customType }) => customType === 'SITE');
    expect(site).toMatchObject({ name: 'New York City', type: 'CUSTOM', score: null, scoreKind: 'NONE' });
    expect(names(letter, gazetteer)).not.toContain('LOCATION New York City');
  });

  it('leaves an identifier whole that holds one of the tenant’s names', () => {
    const gazetteer: Gazetteer = { entries: [{ name: 'northwind', type: 'CUSTOMER' }] };
    expect(names('Write to jane@northwind.example.', gazetteer)).toEqual(['EMAIL jane@northwind.example']);
  });
});

const fragment = fc.constantFrom(
  'Angela Merkel', 'Goldman Sachs, Inc.', 'in Paris', 'bob@example.com', '+49 30 1234567', '3 May 2021', '$5 million', 'Acme',
  'https://example.com/a', '😀', '👩‍👩‍👧', 'Zoe\u0301 Mu\u0308ller', '\u05e9\u05dc\u05d5\u05dd', '\u200f', '\u202e', '\r\n', '\r\n\r\n', '\n', ' ', ' ', '. ',
  ', ', '𝕏', 'n’t', '’s', '-', '@', '#', '…', 'U.S.',
); // prettier-ignore

describe('every mention', () => {
  it('stands in the text at its offsets, in order and without overlap, whatever the text', () => {
    const gazetteer: Gazetteer = {
      entries: [
        { name: 'Acme', type: 'CUSTOMER' },
        { name: '😀', type: 'MOOD' },
      ],
    };
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        const entities = run(text, gazetteer);
        for (const { mentions } of entities) {
          for (const mention of mentions) expect(codePoints(text, mention)).toBe(mention.text);
          expect(mentions.map(({ begin }) => begin)).toEqual(
            mentions.map(({ begin }) => begin).toSorted((a, b) => a - b),
          );
        }
        const all = entities.flatMap(({ mentions }) => mentions).sort((one, other) => one.begin - other.begin);
        for (const [index, mention] of all.entries())
          expect(mention.begin).toBeGreaterThanOrEqual(all[index - 1]?.end ?? 0);
        const firsts = entities.map(({ mentions }) => mentions[0]?.begin ?? 0);
        expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
      }),
      { numRuns: 150 },
    );
  });
});
