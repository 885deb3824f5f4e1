import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { after, before, groupStart } from './accept.js';
import type { Accepted, Candidate, Detector, Validator } from './identifier.js';

const separator = String.raw`[ \u00a0.‐‑–\/-]`;
const group = String.raw`${separator}{1,2}(?:\(\d{1,4}\)[ \u00a0-]?\d{1,12}|\d{2,12})`;
const extension = String.raw`(?:[ \u00a0,;]{0,2}(?:x|ext\.?|extension|#)[ \u00a0.:]{0,2}\d{1,6})?`;
const inBrackets = String.raw`\(\+?\d{1,5}\)${separator}{0,2}\d{2,12}(?:${group}){0,4}`;
const inGroups = String.raw`\+?\d{1,6}(?:${group}){1,5}`;
// Paris is +33 1, Sydney +61 2, Tokyo +81 3: an area code of one digit stands after a country's only.
const withShortArea = String.raw`(?:\+|00)\d{1,3}${separator}{1,2}\d(?:${group}){1,5}`;
const inOneRun = String.raw`\+?\d{7,14}(?:${group}){0,3}`;
const candidate = String.raw`(?<![\p{L}\p{N}_+@#$€£¥&=%\\]|\p{N}[.,:‐-])(?:${inBrackets}|${withShortArea}|${inGroups}|${inOneRun})${extension}(?![\p{L}\p{N}]|[.,:]\p{N})`;

// Words that announce a telephone number, and words that announce some other one: the nearest before a number decides.
const phoneWords =
  'phones? telephones? tel(?:ephone)?(?:_(?:no|number))? mobiles? mob cell(?:ular|phone)?s? fax(?:es)? facsimile call(?:s|ed|ing|er)? dial(?:ed|ing)? ring rang texts? texted sms whatsapp viber signal hotline helpline landline contact(?:s|_us)? reach(?:ed|able)? answer(?:s|ing)? messages? voicemail pager ext(?:ension)? handset ph switchboard toll_free';
const otherWords =
  'orders? invoices? accounts? acct cards? ssn social_security passport licen[cs]e ids? identification reference ref case ticket serial model parts? sku isbn issn doi pmid arxiv zip(?:_code)? postcode postal policy claim iban swift bic vat tax nhs npi version page pages pp vol volume chapter section clause article row lines? dated? year years tracking route flight room box bug issue patent grant usd eur gbp rs gene accession protocol forms? no_later';
const announcing = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:(${phoneWords.split(' ').join('|').replaceAll('_', '[ -]?')})|(?:${otherWords.split(' ').join('|').replaceAll('_', '[ -]?')}))(?![\p{L}\p{N}])`,
  'giu',
);
// Words that speak of telephones only where nothing but punctuation parts them from the number.
const leadingLabel =
  /(?<!\p{L})(?:office|desk|direct|home|work|main|voice)(?: line| no\.?| number)?[ \t]{0,2}[:.#–-][ \t]{0,2}$/iu;
// Not when it stands before another number: it is that one's.
const trailingLabel =
  /^[ \t(,–-]{1,3}(?:phone|telephone|tel|mobile|cell|fax|facsimile|office|home|work|desk|voice|direct)(?!\p{L}|[ \t]{0,2}:|[ \t.#(+]{0,6}\d)/iu;
const countedThings =
  /^\s{0,2}(?:%|°|[€$£¥]|(?:percent|per cent|million|billion|thousand|dollars?|euros?|pounds?|people|persons|votes?|shares?|copies|units|items|tons|tonnes|acres|miles|feet|km|kg|mm|cm|ms|years?|days?|hours?|points?|users?|rows?|words?|parameters?|samples?|tokens?)\b)/iu;

const anyLetters = /\p{L}{2}/u;

// "policy number 01-412-81-42": what is named right before a number is what the number is of.
const otherLabel = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${otherWords.split(' ').join('|').replaceAll('_', '[ -]?')})[ \u00a0]{0,2}(?:(?:numbers?|nos?|nr|#)(?!\p{L}))?[ \u00a0]{0,2}(?:(?:is|was|are)[ \u00a0])?[.:#]{0,2}[ \u00a0]{0,2}$`,
  'iu',
);

/** Whether a label stands at a number, or the nearest telling word before it is about telephones. */
const isAnnounced = (found: Candidate): boolean => {
  const lead = before(found, 45);
  if (!anyLetters.test(lead)) return trailingLabel.test(after(found, 24));
  if (leadingLabel.test(lead) || trailingLabel.test(after(found, 24))) return true;
  return [...lead.matchAll(announcing)].at(-1)?.[1] !== undefined;
};

const isDate =
  /^\(?(?:(?:1[89]|20)\d\d[-./ ](?:0?[1-9]|1[0-2])[-./ ]|\d{1,2}[-./]\d{1,2}[-./](?:1[89]|20)?\d\d(?![-./]?\d)|(?:1[89]|20)\d\d ?[-–/] ?(?:1[89]|20)\d\d(?!\d))/;
// 1.234.567 and 1 234 567: an amount in thousands, unless something announces a telephone number.
const isAmount = /^\d{1,3}(?:[ \u00a0.]000){1,4}$|^\d{1,3}(?:\.\d{3}){2,4}$/;
const isOctets = /^\d{1,3}(?:\.\d{1,3}){3}$/;

// North American form: area code and exchange never begin with 0 or 1; the same separator twice, or brackets.
const northAmerican = new RegExp(
  String.raw`^(?:1[ .-])?(?:[2-9]\d\d([.-])[2-9]\d\d\1\d{4}|\([2-9]\d\d\)[ .-]?[2-9]\d\d[ .-]\d{4})(?!\d|[.-]\d)${extension}`,
  'iu',
);

// A trunk 0 and three or more groups of two to four digits: 01 84 17 61 18, 0490 75 40 81, 020 7946 0958.
const isTrunkForm = (number: string, digits: number): boolean =>
  digits >= 9 && digits <= 11 && /^0[1-9]\d{0,3}(?:([ \u00a0.-])\d{2,4})(?:\1\d{2,4}){1,4}$/.test(number);

/** Whether no other digits stand right before: part of a longer number in groups is none of its own. */
const beginsFree = (found: Candidate): boolean => !/\d[\p{L}\d]{0,4}[ \u00a0/-]{1,2}$/u.test(before(found, 8));
const endsFree = (found: Candidate): boolean => !/^[ \u00a0/-]{1,2}\d/.test(after(found, 3));

/** A number written with + or 00: real in its country's plan, or at least of a possible length. */
const checkInternational = (number: string, isExpected: boolean): Validator | null => {
  const parsed = parsePhoneNumberFromString(`+${number.replace('(0)', '').replace(/^00|\D/g, '')}`);
  if (parsed?.isValid() === true) return 'numbering-plan';
  const isWritten = number.startsWith('+') || number.startsWith('(+');
  return parsed?.isPossible() === true && (isWritten || isExpected) ? 'syntax' : null;
};

const hasPhoneLength = (digits: string): boolean =>
  digits.length >= 7 && digits.length <= 13 && !/^(\d)\1*$/.test(digits);

const isPlainNumber = (number: string, digits: string): boolean => {
  const groups = number.split(/\D+/).filter((part) => part !== '');
  return hasPhoneLength(digits) && groups.length <= 6;
};

/** A candidate, and whether it is announced: asked once, needed for each of its prefixes. */
interface Announced {
  found: Candidate;
  isAnnounced: boolean;
}

/** What confirms a number, without its extension; null when it is none. */
const check = (number: string, { found, isAnnounced }: Announced): Validator | null => {
  const digits = number.replace(/\D/g, '');
  if (digits.length < 7 || digits.length > 17) return null;
  if (number.startsWith('+') || number.startsWith('(+')) return checkInternational(number, false);
  if (isDate.test(number) || isOctets.test(number) || isAmount.test(number)) return null;
  if (countedThings.test(after(found, 14))) return null;
  if (/^00[1-9]/.test(digits) && digits.length >= 10) {
    // Padded with zeros, customers and articles are counted like that: in one run a word must announce it.
    return isAnnounced || number !== digits ? checkInternational(number, isAnnounced) : null;
  }
  if (!beginsFree(found) || otherLabel.test(before(found, 30))) return null;
  if (isTrunkForm(number, digits.length) && endsFree(found)) return 'syntax';
  return isAnnounced && isPlainNumber(number, digits) ? 'syntax' : null;
};

const trailingExtension = new RegExp(`${extension}$`, 'iu');
// How numbers begin that need no announcement: +, 00, a bracket, a trunk 0.
const telling = /^[+(0]/;

/**
 * The longest prefix of whole groups that is a telephone number: a candidate may have swallowed what follows it
 * ("905-674-3793 24 hours").
 */
const acceptPhone = (found: Candidate): Accepted | null => {
  const northern = northAmerican.exec(found.text);
  if (northern !== null) return { begin: 0, end: northern[0].length, validator: 'syntax' };
  const isExpected = isAnnounced(found);
  if (!isExpected && !telling.test(found.text)) return null;
  const number = found.text.replace(trailingExtension, '');
  const whole = check(number, { found, isAnnounced: isExpected });
  if (whole !== null) return { begin: 0, end: found.text.length, validator: whole };
  let end = number.length;
  for (let tries = 0; tries < 2; tries += 1) {
    end = groupStart(number, end);
    if (end === 0) return null;
    const shorter = number.slice(0, end).replace(/\D+$/, '');
    const validator = check(shorter, { found: { ...found, text: shorter }, isAnnounced: isExpected });
    if (validator !== null) return { begin: 0, end: shorter.length, validator };
  }
  return null;
};

/** Telephone numbers: international ones by their country's plan, others by their form and the words around them. */
export const phoneDetector: Detector = {
  type: 'PHONE',
  candidate: new RegExp(candidate, 'giu'),
  maxLength: 120,
  needs: /\d{2}/,
  accept: acceptPhone,
};
