import { describe, expect, it } from '@jest/globals';
import { outcomeWith } from '@anabranch/analysis-runtime/testing';
import type { EntityExtractionResult } from '@anabranch/contracts';
import { entityExtraction } from '../src/entity-extraction.analysis.js';

const resultOf = async (text: string, values: object[], chunkCharacters = 16_000) => {
  const { outcome, warnings } = await outcomeWith(entityExtraction, { document: { text }, values, chunkCharacters });
  return { entities: (outcome.result as EntityExtractionResult).entities, warnings };
};
const named = (...entities: [string, string][]) => ({ entities: entities.map(([text, type]) => ({ text, type })) });

describe('entities from a model', () => {
  it('are found at every place where they stand, and merged', async () => {
    const text = '😀 Jane Ellery met Omar. Later Ellery left Geneva; Ellery was late.';
    const { entities } = await resultOf(text, [
      named(['Jane Ellery', 'PERSON'], ['Ellery', 'PERSON'], ['Geneva', 'LOCATION']),
    ]);
    expect(entities).toMatchObject([
      {
        name: 'Jane Ellery',
        type: 'PERSON',
        score: null,
        scoreKind: 'NONE',
        mentions: [
          { text: 'Jane Ellery', begin: 2, end: 13, grounded: true },
          { text: 'Ellery', begin: 30 },
          { text: 'Ellery', begin: 50 },
        ],
      },
      { name: 'Geneva', type: 'LOCATION' },
    ]);
  });

  it('are left out when they do not stand in the text, which is said', async () => {
    const { entities, warnings } = await resultOf('Jane came.', [named(['Acme', 'ORGANIZATION'], ['Jan', 'PERSON'])]);
    expect(entities).toEqual([]);
    expect(warnings).toEqual(['2 names that the model gave do not stand in the text, and are left out.']);
  });

  it('do not overlap: the longest name counts', async () => {
    const { entities } = await resultOf('We saw New York City.', [
      named(['York', 'LOCATION'], ['New York City', 'LOCATION']),
    ]);
    expect(entities.map(({ name }) => name)).toEqual(['New York City']);
  });

  it('stand beside what the detectors find, which goes before', async () => {
    const text = 'Write to jane@example.com or to Jane.';
    const { entities } = await resultOf(text, [named(['jane@example.com', 'OTHER'], ['Jane', 'PERSON'])]);
    expect(entities.map(({ name, type }) => [name, type])).toEqual([
      ['jane@example.com', 'EMAIL'],
      ['Jane', 'PERSON'],
    ]);
  });

  it('of several pieces are one when they are the same', async () => {
    const text = 'Jane came to the house. Jane left the house.';
    const { entities } = await resultOf(text, [named(['Jane', 'PERSON']), named(['Jane', 'PERSON'])], 25);
    expect(entities).toMatchObject([{ name: 'Jane', mentions: [{ begin: 0 }, { begin: 24 }] }]);
  });
});
