import { getCountrySpecifications, validateIBAN, ValidationErrorsIBAN } from 'ibantools';
import { acceptGroups, after, anyWord, before, hasNear } from './accept.js';
import { hasLuhnChecksum } from './checksums.js';
import type { Candidate, Detector } from './identifier.js';

// Issuer prefixes and lengths: Visa, Mastercard (both ranges), American Express, Diners, Discover, JCB (both), UnionPay, Maestro.
const issuers: readonly [prefix: RegExp, lengths: readonly number[]][] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720))/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|[689])/, [14, 16, 19]],
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  [/^35(?:2[89]|[3-8]\d)/, [16, 17, 18, 19]],
  [/^(?:1800|2131)/, [15]],
  [/^62/, [16, 17, 18, 19]],
  [/^(?:50|5[6-9]|6[0-9])/, [12, 13, 14, 15, 16, 17, 18, 19]],
];

/** A payment card number: an issuer's prefix and length, the Luhn checksum, more than one distinct digit. Spaces, hyphens and dashes pass. */
export function isCardNumber(candidate: string): boolean {
  const digits = candidate.replace(/[ \u00a0–-]/g, '');
  if (digits.length < 12 || !hasLuhnChecksum(digits) || /^(\d)\1*$/.test(digits)) return false;
  return issuers.some(([prefix, lengths]) => lengths.includes(digits.length) && prefix.test(digits));
}

const ibanLengths = new Map(Object.entries(getCountrySpecifications()).map(([country, { chars }]) => [country, chars]));

/** An IBAN: its country's length and format, and the mod-97 checksum (ISO 13616). Spaces and hyphens pass, in any case. */
export function isIban(candidate: string): boolean {
  const iban = candidate.replace(/[ \u00a0-]/g, '').toUpperCase();
  if (ibanLengths.get(iban.slice(0, 2)) !== iban.length) return false;
  const { valid, errorCodes } = validateIBAN(iban);
  // A bank's own check digits inside a right IBAN prove nothing more: test data and merged banks break them.
  return valid || errorCodes.every((code) => code === ValidationErrorsIBAN.WrongAccountBankBranchChecksum);
}

// Lengths that cards hardly have any more but article and account numbers often: only where a card is spoken of.
const cardWords = anyWord('cards? creditcards? credit debit visa maestro mastercard cc pan payments?');
const isRareLength = (text: string): boolean => text.replace(/\D/g, '').length <= 13;

const acceptCard = acceptGroups('luhn', isCardNumber);

// In a row of numbers of four digits, every tenth four of them pass as a card. Cards stand in rows with other cards only.
const rowBefore = /(?<!\d)(?:\d{4}[ \u00a0-]){2,4}$/;
const rowAfter = /^(?:[ \u00a0-]\d{4}(?!\d)){2,4}/;
const isCardOrOneGroup = (row: string): boolean => row.replace(/\D/g, '').length < 8 || isCardNumber(row.trim());

const isCellOfTable = (candidate: Candidate, end: number): boolean => {
  if (!/^\d{4}[ \u00a0-]/.test(candidate.text)) return false;
  const following = rowAfter.exec(after({ ...candidate, text: candidate.text.slice(0, end) }, 24))?.[0] ?? '';
  const preceding = rowBefore.exec(before(candidate, 24))?.[0] ?? '';
  return !isCardOrOneGroup(following) || !isCardOrOneGroup(preceding);
};

export const paymentDetectors: readonly Detector[] = [
  {
    type: 'CARD',
    // Begins as some issuer's numbers do; in one run, or in groups as on cards: 4-4-4-4, 4-6-5, 4-4-4-4-3 … A comma beside
    // a run parts the fields of a row: no number has so many digits before or after it.
    candidate:
      /(?<![A-Za-z\d]|\d[.-])(?=[3-6]|2[2-7]|1800|2131)(?:\d{12,19}(?![A-Za-z\d]|[.-]\d)|(?<!\d,)\d{4}([ \u00a0–-])\d{3,6}(?:\1\d{3,6}){1,3}(?![A-Za-z\d]|[.,-]\d))/g,
    maxLength: 32,
    needs: /\d{4}/,
    accept: (candidate) => {
      const accepted = acceptCard(candidate);
      if (accepted !== null && isCellOfTable(candidate, accepted.end)) return null;
      if (accepted === null || !isRareLength(candidate.text.slice(0, accepted.end))) return accepted;
      return hasNear(candidate, cardWords) ? accepted : null;
    },
  },
  {
    type: 'IBAN',
    candidate:
      /(?<![A-Za-z\d])[A-Za-z]{2}\d{2}(?:[A-Za-z\d]{11,30}|(?:[ \u00a0-][A-Za-z\d]{4}){2,7}(?:[ \u00a0-][A-Za-z\d]{1,3})?)(?![A-Za-z\d])/g,
    maxLength: 48,
    needs: /[A-Za-z]\d\d/,
    accept: acceptGroups('mod97', isIban),
  },
];
