import { describe, expect, it } from '@jest/globals';
import { findIdentifiers } from '../src/index.js';

const found = (text: string): string[] => findIdentifiers(text).map(({ type, text: value }) => `${type} ${value}`);

// Published examples; the second column with its last character changed fails its check.
const examples: readonly (readonly [type: string, text: string, broken: string])[] = [
  ['UK_NHS_NUMBER', 'NHS number 943 476 5919', 'NHS number 943 476 5918'],
  ['DE_TAX_ID', 'Steuer-ID 86095742719', 'Steuer-ID 86095742718'],
  ['ES_DNI', 'DNI 12345678Z', 'DNI 12345678A'],
  ['ES_NIE', 'NIE X1234567L', 'NIE X1234567A'],
  ['FR_NIR', 'NIR 2 55 08 14 168 025 38', 'NIR 2 55 08 14 168 025 39'],
  ['IT_FISCAL_CODE', 'codice RSSMRA85T10A562S', 'codice RSSMRA85T10A562T'],
  ['NL_BSN', 'BSN 111222333', 'BSN 111222334'],
  ['BE_NATIONAL_NUMBER', 'n° 85.07.30-033.28', 'n° 85.07.30-033.29'],
  ['CH_AHV', 'AHV 756.9217.0769.85', 'AHV 756.9217.0769.86'],
  ['PL_PESEL', 'PESEL 44051401359', 'PESEL 44051401358'],
  ['FI_HETU', 'hetu 131052-308T', 'hetu 131052-308U'],
  ['CA_SIN', 'SIN 130 692 544', 'SIN 130 692 545'],
  ['BR_CPF', 'CPF 529.982.247-25', 'CPF 529.982.247-26'],
];

describe('national ids', () => {
  it.each(examples)('%s is found where its checksum holds, and not where it fails', (type, text, broken) => {
    const value = /[^ ]*\d.*$/.exec(text)?.[0] ?? '';
    expect(found(text)).toEqual([`${type} ${value}`]);
    expect(found(broken).filter((finding) => finding.startsWith(type))).toEqual([]);
    expect(findIdentifiers(text)[0]?.score).toBe(1);
  });

  it.each(['943 476 5919', '86095742719', '111222333', '44051401359', '130 692 544'])(
    'bare digits with one check digit, as in %s, count only where a word announces them',
    (digits) => {
      expect(found(`item ${digits} of the list`)).toEqual([]);
    },
  );

  it('a British insurance number has no checksum: its prefix is checked, and no score is given', () => {
    expect(found('NI AB 12 34 56 C, not BG123456C')).toEqual(['UK_NINO AB 12 34 56 C']);
    expect(findIdentifiers('AB123456C')[0]?.score).toBeNull();
  });
});
