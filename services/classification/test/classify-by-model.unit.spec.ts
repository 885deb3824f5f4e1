import { describe, expect, it } from '@jest/globals';
import { outcomeWith } from '@anabranch/analysis-runtime/testing';
import type { ClassificationResult } from '@anabranch/contracts';
import { taxonomySchema } from '@anabranch/rules';
import { classification } from '../src/classification.analysis.js';
import { askForLabels } from '../src/classification.prompt.js';
import { readLabels } from '../src/classification.reply.js';
import { defaultTaxonomy } from '../src/default-taxonomy.js';

const label = (name: string, score: number, quotes: string[] = []) => ({ name, score, quotes });
const resultOf = async (text: string, values: object[], chunkCharacters = 16_000): Promise<ClassificationResult> => {
  const { outcome } = await outcomeWith(classification, { document: { text }, values, chunkCharacters });
  return outcome.result as ClassificationResult;
};

describe('the labels of a text as a model scores them', () => {
  it('are all labels of the taxonomy, best first, with the model’s own scores', async () => {
    const text = 'The court met.';
    const result = await resultOf(text, [{ labels: [label('finance', 0.2), label('legal', 0.9, ['The Court'])] }]);
    expect(result).toMatchObject({ taxonomy: { id: 'default' }, label: 'legal', reason: null });
    expect(result.labels).toHaveLength(defaultTaxonomy.labels.length);
    expect(result.labels.slice(0, 3)).toMatchObject([
      {
        name: 'legal',
        score: 0.9,
        scoreKind: 'MODEL_SELF_REPORT',
        evidence: [{ text: 'The court', begin: 0, end: 9, source: 'model' }],
      },
      { name: 'finance', score: 0.2, evidence: [] },
      { score: 0 },
    ]);
  });

  it('hold only from the taxonomy’s threshold on', async () => {
    const result = await resultOf('The court met.', [{ labels: [label('legal', 0.1)] }]);
    expect(result).toMatchObject({ label: null, reason: expect.stringContaining('below the threshold of 0.25') });
  });

  it('of a long text are the mean of those of its pieces, each by its length', async () => {
    const values = [{ labels: [label('legal', 1)] }, { labels: [label('finance', 0.8), label('legal', 0.2)] }];
    const { labels } = await resultOf('The first piece of it. The other piece of it.', values, 30);
    expect(labels.slice(0, 2)).toMatchObject([
      { name: 'legal', score: 0.6 },
      { name: 'finance', score: 0.4 },
    ]);
  });
});

describe('what is asked', () => {
  const colours = taxonomySchema.parse({
    id: 'colours',
    version: '1',
    multiLabel: true,
    labels: [
      { name: 'red "one"', description: 'line\nbreak', keywords: Array.from({ length: 40 }, (_, i) => `k${i}`) },
      { name: 'blue' },
    ],
  });

  it('has a line for each label, which no name or description can break, and some of its keywords', () => {
    const { instructions, schema } = askForLabels(colours, 'text');
    const lines = instructions
      .split('\n')
      .slice(-2)
      .map((line) => JSON.parse(line) as { keywords?: string[] });
    expect(lines).toMatchObject([{ name: 'red "one"', description: 'line\nbreak' }, { name: 'blue' }]);
    expect(lines[0]?.keywords).toHaveLength(20);
    expect(JSON.stringify(schema)).toContain(JSON.stringify(['red "one"', 'blue']));
  });

  it('takes labels of the taxonomy only, each once', () => {
    expect(readLabels(colours, { labels: [label('blue', 1), label('blue', 0)] })).toEqual([label('blue', 1)]);
    expect(() => readLabels(colours, { labels: [label('green', 1)] })).toThrow('labels.0.name must be one of');
  });
});
