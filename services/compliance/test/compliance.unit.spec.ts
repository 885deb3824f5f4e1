import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { codePoints, runAtOnce } from '@anabranch/analysis-runtime/testing';
import type { ComplianceResultInput } from '@anabranch/contracts';
import { findIdentifiers, maskIdentifier } from '@anabranch/identifiers';
import { createOffsets } from '@anabranch/text';
import fc from 'fast-check';
import { hashKeyOf } from '../src/compliance.config.js';
import { inspect } from '../src/compliance.engine.js';
import { defaultRuleset, type Ruleset } from '../src/default-ruleset.js';

const run = (text: string, ruleset: Ruleset = defaultRuleset): ComplianceResultInput =>
  runAtOnce(inspect({ text, offsets: createOffsets(text), ruleset }));

const record = readFileSync(new URL('./fixtures/document.txt', import.meta.url), 'utf8');

describe('inspect', () => {
  it('finds the identifiers of a record, masked, in document order', () => {
    expect(run(record).findings.map(({ type, masked }) => `${type} ${masked}`)).toEqual([
      'SSN ***-**-6789',
      'EMAIL j***@***.com',
      'CARD **** 1111',
      'CARD **** 5559',
      'IBAN DE** **** 3000',
      'IP 203.*.*.*',
      'URL https://***',
    ]);
  });

  it('never lets a value into its result', () => {
    const json = JSON.stringify(run(record));
    for (const value of ['4111 1111', '5500 0055', '123-45', 'jane.ellery', '3704 0044', '0.113.9', 'shop.example']) {
      expect(record).toContain(value);
      expect(json).not.toContain(value);
    }
  });

  it('counts its findings by type, the most frequent first', () => {
    expect(run(record).types).toEqual([
      { type: 'CARD', count: 2 },
      { type: 'SSN', count: 1 },
      { type: 'EMAIL', count: 1 },
      { type: 'IBAN', count: 1 },
      { type: 'IP', count: 1 },
      { type: 'URL', count: 1 },
    ]);
  });

  it('flags what the default rules are about, in their order, and says which findings', () => {
    const { findings, flags } = run(record);
    expect(flags.map(({ ruleId, severity, action }) => `${ruleId} ${severity} ${action}`)).toEqual([
      'pci-card HIGH NONE',
      'national-id HIGH NONE',
      'bank-account MEDIUM NONE',
      'contact-data LOW NONE',
    ]);
    expect(flags.map(({ findings: indexes }) => indexes.map((index) => findings[index]?.type))).toEqual([
      ['CARD', 'CARD'],
      ['SSN'],
      ['IBAN'],
      ['EMAIL'],
    ]);
    expect(flags.every(({ ruleVersion }) => ruleVersion === defaultRuleset.version)).toBe(true);
  });

  it('flags secrets as critical', () => {
    const { findings, flags } = run('Sign in with password: hunter2horse99, or call +49 30 1234567.');
    expect(findings.map(({ type, masked }) => `${type} ${masked}`)).toEqual(['PASSWORD ***', 'PHONE **** 67']);
    expect(flags.map(({ ruleId, severity }) => `${ruleId} ${severity}`)).toEqual([
      'secrets CRITICAL',
      'contact-data LOW',
    ]);
  });

  it('says of each finding whether a checksum stands behind it', () => {
    const kinds = run(record).findings.map(({ type, score, scoreKind }) => `${type} ${score} ${scoreKind}`);
    expect(kinds).toContain('CARD 1 VALIDATOR');
    expect(kinds).toContain('IBAN 1 VALIDATOR');
    expect(kinds).toContain('EMAIL null NONE');
  });

  it('applies rules as data: types, families, confirmation and number', () => {
    const rule = { severity: 'LOW', action: 'REVIEW' } as const;
    const ruleset: Ruleset = {
      id: 'own',
      version: '9',
      rules: [
        { ...rule, id: 'types', when: { types: ['EMAIL', 'IP'] } },
        { ...rule, id: 'families', when: { families: ['payment'], types: ['SSN'] } },
        { ...rule, id: 'only-validated', when: { types: ['EMAIL'], onlyValidated: true } },
        { ...rule, id: 'two', when: { types: ['CARD'], atLeast: 2 } },
        { ...rule, id: 'three', when: { types: ['CARD'], atLeast: 3 } },
        { ...rule, id: 'nothing', when: {} },
      ],
    };
    expect(run(record, ruleset).flags).toEqual([
      { ruleId: 'types', ruleVersion: '9', severity: 'LOW', action: 'REVIEW', findings: [1, 5] },
      { ruleId: 'families', ruleVersion: '9', severity: 'LOW', action: 'REVIEW', findings: [0, 2, 3, 4] },
      { ruleId: 'two', ruleVersion: '9', severity: 'LOW', action: 'REVIEW', findings: [2, 3] },
    ]);
  });

  it('hashes values with the tenant’s key, equal for two spellings of one value, and only with a key', () => {
    const text = 'Cards 4111 1111 1111 1111 and 4111-1111-1111-1111 and 5500 0055 5555 5559.';
    const hashes = (hmacKey?: string) =>
      runAtOnce(inspect({ text, offsets: createOffsets(text), ruleset: defaultRuleset, hmacKey })).findings.map(
        ({ hmac }) => hmac,
      );
    const [one, same, other] = hashes('key of a tenant');
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
    expect(hashes('key of another tenant')[0]).not.toBe(one);
    expect(hashes()).toEqual([undefined, undefined, undefined]);
  });

  it('derives a key for each tenant from the secret, when there is one', () => {
    const config = { complianceHashKey: 'a secret of the operator, long enough' };
    const [one, same, other] = ['acme', 'acme', 'initech'].map((tenant) => hashKeyOf(config, tenant));
    expect(one).toHaveLength(32);
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
    expect(hashKeyOf({ complianceHashKey: `${config.complianceHashKey}!` }, 'acme')).not.toEqual(one);
    expect(hashKeyOf({}, 'acme')).toBeUndefined();
  });

  it('speaks every language where checksums do', () => {
    const text = '连接 4111111111111111 和 DE89370400440532013000。\u202eשלום\u202c 😀';
    expect(
      run(text).findings.map(({ type, begin, end }) => `${type} ${Array.from(text).slice(begin, end).join('')}`),
    ).toEqual(['CARD 4111111111111111', 'IBAN DE89370400440532013000']);
  });

  it('has nothing to say of a harmless text', () => {
    expect(run('The order number is 2024-0017.')).toEqual({ findings: [], types: [], flags: [] });
  });
});

const fragment = fc.constantFrom(
  '4111 1111 1111 1111', 'DE89 3704 0044 0532 0130 00', 'jane.doe@example.com', '+49 30 1234567', '123-45-6789', 'https://e.org/a',
  '😀', '👩‍👩‍👧', 'e\u0301', '\u05e9\u05dc\u05d5\u05dd', '\u200f', '\u202e', '\r\n', '\r\n\r\n', '𝕏', '谢谢', ' ', ' ', ', ', '. ',
); // prettier-ignore

describe('every finding', () => {
  it('is at its offsets exactly the value that its mask hides, in order and without overlap, whatever the text', () => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        const { findings } = run(text);
        const values = findIdentifiers(text);
        expect(findings).toHaveLength(values.length);
        for (const [index, finding] of findings.entries()) {
          const { type, text: value } = values[index]!;
          expect(codePoints(text, finding)).toBe(value);
          expect(finding.masked).toBe(maskIdentifier({ type, text: value }));
          expect(finding.begin).toBeGreaterThanOrEqual(findings[index - 1]?.end ?? 0);
        }
      }),
    );
  });
});
