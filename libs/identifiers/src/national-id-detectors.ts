import { acceptIf, acceptNear, anyWord, hasNear, wholeOf } from './accept.js';
import { hasLuhnChecksum, hasMod11Mod10, isDayOfMonth, weightedSum } from './checksums.js';
import type { Candidate, Detector } from './identifier.js';

const digitsOf = (text: string): string => text.replace(/\D/g, '');
const isOneDigit = (digits: string): boolean => /^(\d)\1*$/.test(digits);

/** A US social security number by the ranges that are never issued (SSA, since 2011). */
export function isSocialSecurityNumber(candidate: string): boolean {
  const digits = digitsOf(candidate);
  const [area, group, serial] = [digits.slice(0, 3), digits.slice(3, 5), digits.slice(5)];
  return area !== '000' && area !== '666' && !area.startsWith('9') && group !== '00' && serial !== '0000';
}

/** British National Insurance number: prefixes that HMRC issues. It has no checksum. */
const isNationalInsuranceNumber = (text: string): boolean =>
  !/^(?:BG|GB|KN|NK|NT|TN|ZZ)/.test(text) && !isOneDigit(digitsOf(text));

/** NHS number: weights 10 … 2, mod 11. */
export function isNhsNumber(text: string): boolean {
  const digits = digitsOf(text);
  const check = (11 - (weightedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
  return check === Number(digits[9]) && !isOneDigit(digits);
}

/** German Steuer-ID: ISO 7064 mod 11,10; of its first ten digits exactly one stands there twice or three times. */
export function isGermanTaxId(text: string): boolean {
  const digits = digitsOf(text);
  const first = digits.slice(0, 10);
  const repeated = [...new Set(first)].filter((digit) => first.split(digit).length > 2);
  return !digits.startsWith('0') && repeated.length === 1 && new Set(first).size >= 8 && hasMod11Mod10(digits);
}

const spanishLetters = 'TRWAGMYFPDXBNJZSQVHLCKE';

/** Spanish DNI and NIE: number mod 23 gives the letter; X, Y, Z of a NIE stand for 0, 1, 2. */
export function isSpanishId(text: string): boolean {
  const compact = text.replace(/[ .-]/g, '').toUpperCase();
  const number = Number(compact.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter))));
  return spanishLetters[number % 23] === compact.at(-1) && number > 0;
}

/** French NIR: sex, month, department and the mod-97 key; Corsican departments 2A and 2B count as 19 and 18. */
export function isFrenchNir(text: string): boolean {
  const compact = text.replace(/[ \u00a0.-]/g, '').toUpperCase();
  const month = Number(compact.slice(3, 5));
  if (!/^[12]\d\d/.test(compact) || month < 1 || (month > 12 && month < 20) || month > 42) return false;
  const number = BigInt(compact.slice(0, 13).replace('2A', '19').replace('2B', '18'));
  return 97n - (number % 97n) === BigInt(compact.slice(13));
}

// Values of characters at odd places of an Italian fiscal code, for 0-9 and for A-Z.
const oddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

/** Italian codice fiscale: the last letter is a checksum over the fifteen characters before it. */
export function isItalianFiscalCode(text: string): boolean {
  const code = text.toUpperCase();
  let sum = 0;
  for (let index = 0; index < 15; index += 1) {
    const character = code.charCodeAt(index);
    const value = character < 65 ? character - 48 : character - 65;
    sum += index % 2 === 0 ? (oddValues[value] ?? 0) : value;
  }
  return String.fromCharCode(65 + (sum % 26)) === code[15];
}

/** Dutch BSN: the eleven test. */
const isDutchBsn = (text: string): boolean => {
  const digits = digitsOf(text);
  return weightedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 && !isOneDigit(digits);
};

/** Belgian national number: birth date and 97 minus the number mod 97; births since 2000 count with a 2 in front. */
export function isBelgianNationalNumber(text: string): boolean {
  const digits = digitsOf(text);
  const number = Number(digits.slice(0, 9));
  const key = Number(digits.slice(9));
  if (!isDayOfMonth(Number(digits.slice(4, 6)), Number(digits.slice(2, 4)))) return false;
  return 97 - (number % 97) === key || 97 - ((2_000_000_000 + number) % 97) === key;
}

/** Swiss AHV number: an EAN-13 that begins with 756. */
const isSwissAhv = (text: string): boolean => {
  const digits = digitsOf(text);
  return (10 - (weightedSum(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]) % 10)) % 10 === Number(digits[12]);
};

/** Polish PESEL: birth date, with the century in the month, and a weighted checksum. */
export function isPolishPesel(text: string): boolean {
  const check = (10 - (weightedSum(text, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10;
  return check === Number(text[10]) && isDayOfMonth(Number(text.slice(4, 6)), Number(text.slice(2, 4)) % 20);
}

/** Finnish henkilötunnus: birth date, individual number mod 31. */
const isFinnishHetu = (text: string): boolean => {
  const number = Number(text.slice(0, 6) + text.slice(7, 10));
  const isDate = isDayOfMonth(Number(text.slice(0, 2)), Number(text.slice(2, 4)));
  return isDate && '0123456789ABCDEFHJKLMNPRSTUVWXY'[number % 31] === text[10];
};

const isCanadianSin = (text: string): boolean => {
  const digits = digitsOf(text);
  return !/^[08]/.test(digits) && !isOneDigit(digits) && hasLuhnChecksum(digits);
};

/** Brazilian CPF: two check digits, each mod 11. */
export function isBrazilianCpf(text: string): boolean {
  const digits = digitsOf(text);
  const checkOver = (count: number): number => {
    const weights = Array.from({ length: count }, (_, index) => count + 1 - index);
    return ((weightedSum(digits, weights) * 10) % 11) % 10;
  };
  return !isOneDigit(digits) && checkOver(9) === Number(digits[9]) && checkOver(10) === Number(digits[10]);
}

const ssnWords = anyWord('ssns? social_security(?:_number)? tin');

/** With hyphens the form speaks for itself; with spaces or without a mark a word must. */
const acceptSsn = (candidate: Candidate) => {
  if (!isSocialSecurityNumber(candidate.text)) return null;
  return candidate.text.includes('-') || hasNear(candidate, ssnWords) ? wholeOf(candidate, 'ranges') : null;
};

const of = (type: Detector['type'], candidate: RegExp, accept: Detector['accept']): Detector => ({
  type,
  candidate,
  maxLength: 32,
  needs: /\d{2}/,
  accept,
});

/**
 * Numbers that a state gives to a person. Those that many harmless numbers equal – bare digits with one check digit –
 * count only where a word announces them.
 */
export const nationalIdDetectors: readonly Detector[] = [
  of('SSN', /(?<![\d-])\d{3}([ -]?)\d{2}\1\d{4}(?![\d-])/g, acceptSsn),
  of(
    'UK_NINO',
    /(?<![A-Za-z\d])[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]( ?)\d{2}\1\d{2}\1\d{2}\1[A-D](?![A-Za-z\d])/g,
    acceptIf('ranges', isNationalInsuranceNumber),
  ),
  of(
    'UK_NHS_NUMBER',
    /(?<![\d-])\d{3}([ -]?)\d{3}\1\d{4}(?![\d-])/g,
    acceptNear('check-digit', anyWord('nhs'), isNhsNumber),
  ),
  of(
    'DE_TAX_ID',
    /(?<![\d-])\d{2}( ?)\d{3}\1\d{3}\1\d{3}(?![\d-])/g,
    acceptNear(
      'check-digit',
      anyWord(
        'steuer-?id steueridentifikationsnummer steuer-?identifikationsnummer identifikationsnummer idnr tin tax_id',
      ),
      isGermanTaxId,
    ),
  ),
  of('ES_DNI', /(?<![\p{L}\d.-])\d{8}[ -]?[A-HJ-NP-TV-Z](?![\p{L}\d])/gu, acceptIf('check-digit', isSpanishId)),
  of('ES_NIE', /(?<![\p{L}\d])[XYZ][ -]?\d{7}[ -]?[A-HJ-NP-TV-Z](?![\p{L}\d])/gu, acceptIf('check-digit', isSpanishId)),
  of(
    'FR_NIR',
    /(?<![\d.,-])[12]([ \u00a0]?)\d{2}\1\d{2}\1\d[\dABab]\1\d{3}\1\d{3}\1\d{2}(?![\d-])/g,
    acceptIf('mod97', isFrenchNir),
  ),
  of(
    'IT_FISCAL_CODE',
    /(?<![\p{L}\d])[A-Za-z]{6}[\dL-NP-Vl-np-v]{2}[A-EHLMPRSTa-ehlmprst][\dL-NP-Vl-np-v]{2}[A-Za-z][\dL-NP-Vl-np-v]{3}[A-Za-z](?![\p{L}\d])/gu,
    acceptIf('check-digit', isItalianFiscalCode),
  ),
  of(
    'NL_BSN',
    /(?<![\d-])\d{9}(?![\d-])/g,
    acceptNear('check-digit', anyWord('bsn burgerservicenummer citizen_service_number'), isDutchBsn),
  ),
  of(
    'BE_NATIONAL_NUMBER',
    /(?<![\d.-])\d{2}\.\d{2}\.\d{2}-\d{3}[.-]\d{2}(?![\d.-])/g,
    acceptIf('mod97', isBelgianNationalNumber),
  ),
  of('CH_AHV', /(?<![\d.-])756\.\d{4}\.\d{4}\.\d{2}(?![\d-])/g, acceptIf('check-digit', isSwissAhv)),
  of('PL_PESEL', /(?<![\d-])\d{11}(?![\d-])/g, acceptNear('check-digit', anyWord('pesel'), isPolishPesel)),
  of(
    'FI_HETU',
    /(?<![\p{L}\d-])\d{6}[-+A]\d{3}[\dA-FHJ-NPR-Y](?![\p{L}\d-])/gu,
    acceptIf('check-digit', isFinnishHetu),
  ),
  of(
    'CA_SIN',
    /(?<![\d-])\d{3}([ -]?)\d{3}\1\d{3}(?![\d-])/g,
    acceptNear('luhn', anyWord('sin social_insurance(?:_number)?'), isCanadianSin),
  ),
  of('BR_CPF', /(?<![\d.-])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\d-])/g, acceptIf('check-digit', isBrazilianCpf)),
];
