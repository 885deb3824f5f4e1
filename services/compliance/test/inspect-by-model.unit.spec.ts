import { describe, expect, it } from '@jest/globals';
import { outcomeWith } from '@anabranch/analysis-runtime/testing';
import type { ComplianceResult } from '@anabranch/contracts';
import { compliance } from '../src/compliance.analysis.js';

const resultOf = async (text: string, values: object[], chunkCharacters = 16_000) => {
  const { outcome, warnings } = await outcomeWith(compliance, { document: { text }, values, chunkCharacters });
  return { ...(outcome.result as ComplianceResult), warnings };
};
const found = (...findings: [string, string][]) => ({ findings: findings.map(([text, type]) => ({ text, type })) });

describe('sensitive values from a model', () => {
  it('stand beside what the detectors find, masked, and nothing vouches for them', async () => {
    const text = 'Jane Ellery, born 3 May 1980, writes to jane@example.com.';
    const { findings, types } = await resultOf(text, [
      found(['Jane Ellery', 'PERSON_NAME'], ['3 May 1980', 'DATE_OF_BIRTH']),
    ]);
    expect(findings).toMatchObject([
      { type: 'PERSON_NAME', begin: 0, end: 11, score: null, scoreKind: 'NONE', masked: '****' },
      { type: 'DATE_OF_BIRTH', begin: 18, end: 28, masked: '****' },
      { type: 'EMAIL', masked: 'j***@***.com' },
    ]);
    expect(types).toHaveLength(3);
    expect(JSON.stringify(findings)).not.toContain('Jane');
  });

  it('do not replace a finding that a detector checked', async () => {
    const text = 'Card 4111 1111 1111 1111.';
    const { findings, flags } = await resultOf(text, [
      found(['4111 1111 1111 1111', 'PASSWORD'], ['Card', 'PERSON_NAME']),
    ]);
    expect(findings.map(({ type, scoreKind }) => [type, scoreKind])).toEqual([
      ['PERSON_NAME', 'NONE'],
      ['CARD', 'VALIDATOR'],
    ]);
    expect(flags).toMatchObject([{ ruleId: 'pci-card', findings: [1] }]);
  });

  it('breach no rule that asks for a validator', async () => {
    const { findings, flags } = await resultOf('Card 4111 1111 1111 1112.', [found(['4111 1111 1111 1112', 'CARD'])]);
    expect(findings).toMatchObject([{ type: 'CARD', scoreKind: 'NONE', masked: '**** 1112' }]);
    expect(flags).toEqual([]);
  });

  it('are left out when they do not stand in the text, which is said', async () => {
    const { findings, warnings } = await resultOf('Nothing here.', [found(['12 High Street', 'POSTAL_ADDRESS'])]);
    expect(findings).toEqual([]);
    expect(warnings).toEqual(['1 values that the model gave do not stand in the text, and are left out.']);
  });

  it('are found once when two pieces hold them, because each reaches back', async () => {
    const text = 'Jane Ellery called. She left at noon.';
    const { findings } = await resultOf(
      text,
      [found(['Jane Ellery', 'PERSON_NAME']), found(['Jane Ellery', 'PERSON_NAME'])],
      20,
    );
    expect(findings).toMatchObject([{ type: 'PERSON_NAME', begin: 0, end: 11 }]);
  });
});
