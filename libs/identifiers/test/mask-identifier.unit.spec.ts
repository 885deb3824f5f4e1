import { describe, expect, it } from '@jest/globals';
import { findIdentifiers, maskIdentifier, normalizeIdentifier } from '../src/index.js';

const values = [
  ['CARD', '4111 1111 1111 1111', '**** 1111'],
  ['CARD', '٤١١١ ١١١١ ١١١١ ٢٢٢٢', '**** 2222'],
  ['EMAIL', 'jane\u200b@example.com', 'j***@***.com'],
  ['IBAN', 'DE89 3704 0044 0532 0130 00', 'DE** **** 3000'],
  ['SSN', '123-45-6789', '***-**-6789'],
  ['EMAIL', 'jane@example.com', 'j***@***.com'],
  ['PHONE', '+49 30 1234567', '**** 67'],
  ['IP', '192.168.1.77', '192.*.*.*'],
  ['IP', 'fe80::1ff:fe23:4567:890a', 'fe80:***'],
  ['URL', 'https://example.com/secret', 'https://***'],
  ['URL', 'www.example.com', '***'],
  ['ES_DNI', '12345678Z', '**** 8Z'],
  ['PASSWORD', 'hunter2horse99', '***'],
  ['PRIVATE_KEY', '-----BEGIN PRIVATE KEY-----', '***'],
] as const;

describe('maskIdentifier', () => {
  it.each(values)('hides a %s', (type, text, masked) => {
    expect(maskIdentifier({ type, text })).toBe(masked);
  });

  it('shows at most a quarter of a short value', () => {
    expect(maskIdentifier({ type: 'PHONE', text: '555-1234' })).toBe('**** 4');
  });
});

describe('normalizeIdentifier', () => {
  it.each([
    ['CARD', '4111 1111 1111 1111', '4111-1111-1111-1111'],
    ['CARD', '4111 1111 1111 1111', '٤١١١\u200b١١١١ ١١١١ ١١١١'],
    ['IBAN', 'DE89 3704 0044 0532 0130 00', 'de89370400440532013000'],
    ['EMAIL', 'Jane@Example.com', 'jane@example.com'],
    ['PHONE', '+46 (0)8 928 571 38', '0046 8 928 571 38'],
    ['UK_NINO', 'AB 12 34 56 C', 'AB123456C'],
  ] as const)('is the same for two spellings of one %s', (type, one, other) => {
    expect(normalizeIdentifier({ type, text: one })).toBe(normalizeIdentifier({ type, text: other }));
  });

  it('tells secrets that differ in case alone', () => {
    expect(normalizeIdentifier({ type: 'PASSWORD', text: 'Aa11' })).not.toBe(
      normalizeIdentifier({ type: 'PASSWORD', text: 'aA11' }),
    );
  });

  it('knows every type that is found', () => {
    for (const identifier of findIdentifiers('4111111111111111 AB123456C bob@x.com +49 30 1234567')) {
      expect(normalizeIdentifier(identifier)).not.toBe('');
      expect(maskIdentifier(identifier)).not.toContain(identifier.text);
    }
  });
});
