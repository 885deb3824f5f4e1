import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { gazetteerSchema, rulesetSchema, rulesId } from '../src/index.js';

/** The places at which a value is at fault, with the reasons. */
const faultsOf = (schema: z.ZodType, value: unknown): Record<string, string> => {
  const { error } = schema.safeParse(value);
  return Object.fromEntries((error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]));
};

const named = { id: 'default', version: '1' };

describe('rulesetSchema', () => {
  const rule = { id: 'secrets', when: { families: ['secret'] }, severity: 'CRITICAL' };

  it('fills what is left out', () => {
    const when = { types: [], families: ['secret'], onlyValidated: false, atLeast: 1 };
    expect(rulesetSchema.parse({ ...named, rules: [rule] })).toEqual({
      ...named,
      rules: [{ ...rule, when, action: 'NONE' }],
    });
    expect(rulesetSchema.parse({ ...named, rules: [] })).toEqual({ ...named, rules: [] });
  });

  it('names all faults at once, each with its path and what there is instead', () => {
    const faults = faultsOf(rulesetSchema, {
      ...named,
      rules: [
        { ...rule, id: 'a', when: { types: ['CREDITCARD'] } },
        { ...rule, id: 'b', when: {} },
        { ...rule, id: 'c', severity: 'UNKNOWN' },
        { ...rule, id: 'd', actions: 'NONE' },
      ],
    });
    expect(Object.keys(faults)).toEqual(['rules.0.when.types.0', 'rules.1.when', 'rules.2.severity', 'rules.3']);
    expect(faults['rules.0.when.types.0']).toContain('"CARD"');
  });

  it('refuses two rules of one id', () => {
    expect(faultsOf(rulesetSchema, { ...named, rules: [rule, rule] })).toEqual({ 'rules.1.id': 'is there twice' });
  });
});

describe('gazetteerSchema', () => {
  it('fills what is left out, and may be empty', () => {
    const entries = [{ name: 'Model X-7', type: 'PRODUCT' }];
    expect(gazetteerSchema.parse({ ...named, entries }).entries).toEqual([{ ...entries[0], aliases: [] }]);
    expect(gazetteerSchema.parse({ ...named, entries: [] }).entries).toEqual([]);
  });

  it('names all faults at once, each with its path', () => {
    const faults = faultsOf(gazetteerSchema, { ...named, entries: [{ name: ' Y', type: '' }, { name: 'Z\u200b' }] });
    expect(Object.keys(faults)).toEqual(['entries.0.name', 'entries.0.type', 'entries.1.name', 'entries.1.type']);
  });
});

describe('rulesId', () => {
  it.each(['default', 'a', 'v1.2_x-y', 'x'.repeat(64)])('accepts %s', (id) => {
    expect(rulesId.safeParse(id).success).toBe(true);
  });

  it.each(['', '.', '-a', 'A', 'a b', 'a/b', 'ä', 'x'.repeat(65)])('refuses %j', (id) => {
    expect(rulesId.safeParse(id).success).toBe(false);
  });
});
