import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { checkRules, gazetteerSchema, rulesetSchema, taxonomySchema } from '../src/index.js';

type Kind = Parameters<typeof checkRules>[0];
const schemas: Record<Kind, z.ZodType> = {
  taxonomy: taxonomySchema,
  ruleset: rulesetSchema,
  gazetteer: gazetteerSchema,
};
const head = { id: 'own', version: '3' };
const rule = { id: 'pci', when: { types: ['CARD'] }, severity: 'HIGH' };
const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const runToEnd = (kind: Kind, definition: Record<string, unknown>): { read: object; pauses: number } => {
  const steps = checkRules(kind, definition);
  for (let pauses = 0; ; pauses += 1) {
    const step = steps.next();
    if (step.done === true) return { read: step.value, pauses };
  }
};

const faultsOf = (act: () => unknown): string[] => {
  try {
    act();
  } catch (error) {
    if (error instanceof z.ZodError) return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw error;
  }
  return [];
};

describe('checkRules', () => {
  it.each<[Kind, Record<string, unknown>]>([
    ['taxonomy', { ...head, labels: numbered(35, (i) => ({ name: `label ${i}`, keywords: [`word${i}`] })) }],
    ['taxonomy', { ...head, labels: [] }],
    ['ruleset', { ...head, rules: numbered(250, (i) => ({ ...rule, id: `rule-${i}` })) }],
    ['gazetteer', { ...head, entries: numbered(600, (i) => ({ name: `Name ${i}`, type: 'PRODUCT' })) }],
  ])('reads what the schema of a %s reads, with its defaults', (kind, definition) => {
    expect(runToEnd(kind, definition).read).toEqual(schemas[kind].parse(definition));
  });

  it.each<[string, Kind, Record<string, unknown>]>([
    ['no list', 'taxonomy', head],
    ['a list that is none', 'gazetteer', { ...head, entries: { name: 'X' } }],
    ['too many entries', 'ruleset', { ...head, rules: numbered(501, (i) => ({ ...rule, id: `r${i}` })) }],
    [
      'an entry twice, far apart',
      'ruleset',
      { ...head, rules: numbered(300, (i) => ({ ...rule, id: `r${i % 299}` })) },
    ],
    ['labels of one name', 'taxonomy', { ...head, labels: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }],
    ['faults everywhere', 'taxonomy', { ...head, threshold: 3, labels: [{ name: '' }, {}, 7], labelz: 1 }],
    [
      'an entry far behind',
      'gazetteer',
      { ...head, entries: numbered(900, (i) => (i === 899 ? {} : { name: 'X', type: 'T' })) },
    ],
  ])('names the faults that the schema names, with their paths: %s', (_, kind, definition) => {
    const expected = faultsOf(() => schemas[kind].parse(definition));
    expect(expected).not.toEqual([]);
    expect(faultsOf(() => runToEnd(kind, definition))).toEqual(expected);
  });

  it('pauses after each label, and after some entries', () => {
    expect(runToEnd('taxonomy', { ...head, labels: numbered(40, (i) => ({ name: `l${i}` })) }).pauses).toBe(40);
    const entries = numbered(20_000, (i) => ({ name: `Name ${i}`, type: 'PRODUCT' }));
    expect(runToEnd('gazetteer', { ...head, entries }).pauses).toBe(80);
  });
});
