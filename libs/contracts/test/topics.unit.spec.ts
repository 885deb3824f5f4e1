import { describe, expect, it } from '@jest/globals';
import { analysisTopic, analysisTopics, topics } from '../src/index.js';
import { schemaText } from './schemas.js';

describe('the topic table', () => {
  it('an analysis finds its topic by its name', () => {
    expect(analysisTopics.map(({ analysis }) => analysisTopic(analysis ?? ''))).toEqual(
      analysisTopics.map(({ name }) => name),
    );
    expect(() => analysisTopic('toxicity')).toThrow('schemas/analysis.toxicity.finished');
  });

  it('every analysis has a result, named with its version', () => {
    for (const { resultSchema, latestVersion } of analysisTopics) {
      expect(resultSchema).toMatch(new RegExp(`^anabranch\\.analysis\\.[a-z_]+\\.[A-Za-z]+Result/v${latestVersion}$`));
    }
  });

  it('subjects follow the topic, and topics of bytes as they were have none', () => {
    expect(topics['document.ingested'].subject).toBe('document.ingested-value');
    expect(topics['dead-letters']).toMatchObject({ subject: null, compatibility: null, latestVersion: null });
  });

  it('no event names an analysis, but those of the analysis itself', () => {
    const names = analysisTopics.map(({ analysis }) => analysis ?? '').join('|');
    const fieldNames = [...schemaText('document.enriched').matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name);
    expect(fieldNames.length).toBeGreaterThan(10);
    expect(fieldNames.filter((name) => new RegExp(names, 'i').test(name ?? ''))).toEqual([]);
  });
});
