import { describe, expect, it } from '@jest/globals';
import { runAtOnce } from '@anabranch/analysis-runtime/testing';
import { createOffsets } from '@anabranch/text';
import { extractEntities } from '../src/entity-extraction.engine.js';

const namesIn = (text: string): string[] =>
  runAtOnce(extractEntities({ text, offsets: createOffsets(text) })).result.entities.flatMap(({ type, mentions }) =>
    mentions.map((mention) => `${type} ${mention.text}`),
  );

describe('the form of a name decides', () => {
  it.each([
    ['Name: Mr. João Pinto', ['PERSON João Pinto']],
    ['Dr. Øster and Mrs. Čech-Łuk spoke.', ['PERSON Øster', 'PERSON Čech-Łuk']],
    ['her chairwoman, Dr. Helen Marsh, said so', ['PERSON Helen Marsh']],
    ['He lives at 5 Elm Dr. since May.', []],
  ])('that a person stands after a title, with or without accents: %s', (text, expected) => {
    expect(namesIn(text).filter((name) => !name.startsWith('LOCATION'))).toEqual(expected);
    expect(namesIn(text)).not.toContain('LOCATION Dr.');
  });

  it.each([
    ['Chief Executive Kari Lindqvist said so.', ['PERSON Kari Lindqvist']],
    ['said Captain Ingrid Solheim, who sails', ['PERSON Ingrid Solheim']],
    ['Chief Executive Officer John Marlow resigned.', ['PERSON John Marlow']],
    ['Executive Order 13769 was signed.', []],
  ])('that a full name after an office is a person: %s', (text, expected) => {
    expect(namesIn(text)).toEqual(expected);
  });

  it.each([
    ['signed by Northwind Analytics GmbH, a company', 'ORGANIZATION Northwind Analytics GmbH'],
    ['Pinto & Filhos Lda. pays.', 'ORGANIZATION Pinto & Filhos Lda.'],
    ['Shares of Halvorsen Marine ASA fell.', 'ORGANIZATION Halvorsen Marine ASA'],
    ['Analysts at JPMorgan Chase & Co. agreed.', 'ORGANIZATION JPMorgan Chase & Co.'],
    ['the Utah Fuel Co. said', 'ORGANIZATION Utah Fuel Co.'],
    ['In 2010 Acme Ltd. failed.', 'ORGANIZATION Acme Ltd.'],
  ])('that a company ends with its legal form: %s', (text, expected) => {
    expect(namesIn(text)).toContain(expected);
  });

  it('nothing where all is in capitals', () => {
    expect(namesIn('THIS AGREEMENT IS MADE BETWEEN ACME LLC AND YOU')).not.toContain(
      'ORGANIZATION THIS AGREEMENT IS MADE BETWEEN ACME LLC',
    );
  });
});

describe('the last word of a name decides', () => {
  it.each([
    ['They fly with Brittany Lines.', 'ORGANIZATION Brittany Lines'],
    ['He wrote for the Ashby Herald.', 'ORGANIZATION Ashby Herald'],
    ['The bridge at Mill Crossing is old.', 'LOCATION Mill Crossing'],
    ['We sailed to Port Ashby.', 'LOCATION Port Ashby'],
    ['Nathan Lane sang.', 'PERSON Nathan Lane'],
    ['Arabs in the West Bank struck.', 'LOCATION West Bank'],
  ])('what it is: %s', (text, expected) => {
    expect(namesIn(text)).toContain(expected);
  });

  it.each([
    'The Company shall pay the Fund.',
    'the South Korean side and the Israelis',
    'Maria’s Transport Correspondent',
    'The Board Members met.',
  ])('that it names nothing: %s', (text) => {
    expect(namesIn(text).filter((name) => !name.includes('Maria'))).toEqual([]);
  });
});

describe('a name ends where it ends', () => {
  it.each([
    ['the New York-based firm', 'LOCATION New York'],
    ['shot in Memphis, Tenn., in 1968', 'LOCATION Tenn.'],
    ['a round of 64 by Canadian Rick Todd', 'PERSON Rick Todd'],
    ['Contact Ellen Smith    Angela Brown', 'PERSON Ellen Smith'],
    ['posted by Julia Barnes | 23 comments', 'PERSON Julia Barnes'],
  ])('in %s', (text, expected) => {
    expect(namesIn(text)).toContain(expected);
  });
});
