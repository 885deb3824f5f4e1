import { describe, expect, it } from '@jest/globals';
import { gazetteerSchema, rulesetSchema, taxonomySchema } from '@anabranch/rules';
import { parseRules } from '../src/rules/parse-rules.js';
import { longestBlockMs } from '../src/testing/event-loop.js';

const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const head = { id: 'own', version: '3' };
const taxonomy = {
  ...head,
  threshold: 0.4,
  labels: numbered(35, (index) => ({ name: `label ${index}`, keywords: [`word${index}`] })),
};
const gazetteer = { ...head, entries: numbered(20_000, (index) => ({ name: `Name ${index}`, type: 'PRODUCT' })) };
const ruleset = {
  ...head,
  rules: numbered(250, (index) => ({ id: `rule-${index}`, when: { types: ['CARD'] }, severity: 'LOW' })),
};

describe('parseRules', () => {
  it('gives what the schema gives at once, in its order, with all defaults', async () => {
    expect(await parseRules('taxonomy', taxonomy)).toEqual(taxonomySchema.parse(taxonomy));
    expect(await parseRules('gazetteer', gazetteer)).toEqual(gazetteerSchema.parse(gazetteer));
    expect(await parseRules('ruleset', ruleset)).toEqual(rulesetSchema.parse(ruleset));
    expect(await parseRules('taxonomy', { ...head, labels: [] })).toEqual(
      taxonomySchema.parse({ ...head, labels: [] }),
    );
  });

  it('names a part that its schema does not accept', async () => {
    const broken = { ...gazetteer, entries: [...gazetteer.entries.slice(1), { name: 'without a type' }] };
    await expect(parseRules('gazetteer', broken)).rejects.toThrow('type');
    await expect(parseRules('gazetteer', head)).rejects.toThrow('entries');
  });

  it('never holds the event loop for 50 ms over the largest gazetteer', async () => {
    const alias = 'x'.repeat(150);
    const entries = gazetteer.entries.map((entry) => ({ ...entry, aliases: [alias] }));
    const blocks: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      blocks.push(await longestBlockMs(() => parseRules('gazetteer', { ...head, entries })));
    }
    expect(Math.min(...blocks)).toBeLessThan(50);
  });
});
