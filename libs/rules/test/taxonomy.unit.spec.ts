import { describe, expect, it } from '@jest/globals';
import { taxonomySchema } from '../src/index.js';

const colours = {
  id: 'colours',
  version: '7',
  labels: [{ name: 'warm', keywords: ['red', 'orange'] }, { name: 'cold' }],
};
const faultsOf = (value: unknown): string[] =>
  (taxonomySchema.safeParse(value).error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('taxonomySchema', () => {
  it('fills what is left out', () => {
    expect(taxonomySchema.parse(colours)).toEqual({
      id: 'colours',
      version: '7',
      multiLabel: false,
      threshold: 0.3,
      languages: [],
      labels: [
        { name: 'warm', description: '', keywords: ['red', 'orange'], patterns: [], examples: [] },
        { name: 'cold', description: '', keywords: [], patterns: [], examples: [] },
      ],
    });
  });

  it('accepts five hundred labels, and none', () => {
    const labels = Array.from({ length: 500 }, (_, index) => ({ name: `label ${index}`, keywords: [`word${index}`] }));
    expect(faultsOf({ ...colours, labels })).toEqual([]);
    expect(faultsOf({ ...colours, labels: [] })).toEqual([]);
  });

  it('names all faults at once, each with its path', () => {
    const labels = [
      { name: 'one', patterns: ['ok', 'a(?=b)'] },
      { name: 'one', keyword: ['typo'] },
    ];
    expect(faultsOf({ ...colours, threshold: 2, labels })).toEqual([
      expect.stringMatching(/^threshold: /),
      expect.stringMatching(/^labels\.0\.patterns\.1: .*RE2/),
      expect.stringMatching(/^labels\.1: .*"keyword"/),
      'labels: two labels have the name "one"',
    ]);
  });

  it('refuses two labels of one name', () => {
    expect(faultsOf({ ...colours, labels: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] })).toEqual([
      'labels: two labels have the name "a"',
    ]);
  });

  it.each(['Colours', '../colours', '', 'a'.repeat(65)])('refuses the id %j', (id) => {
    expect(faultsOf({ ...colours, id })).toHaveLength(1);
  });

  it('bounds patterns and examples of the whole taxonomy', () => {
    const many = { name: 'many', patterns: Array.from({ length: 50 }, () => 'a') };
    const labels = Array.from({ length: 11 }, (_, index) => ({ ...many, name: `many ${index}` }));
    expect(faultsOf({ ...colours, labels })).toEqual(['labels: more than 500 patterns in all']);
    const long = { name: 'long', examples: Array.from({ length: 30 }, () => 'a'.repeat(90_000)) };
    expect(faultsOf({ ...colours, labels: [long] })).toEqual([
      'labels: more than 2000000 characters of examples in all',
    ]);
  });
});
