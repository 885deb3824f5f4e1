import { isIPv6 } from 'node:net';
import { acceptIf, anyWord, hasNear, after, before, wholeOf } from './accept.js';
import type { Accepted, Candidate, Detector } from './identifier.js';
import { phoneDetector } from './phone-detector.js';

// Letters of e-mail addresses and hosts: Latin ones, accented too. Others end a run, so that an address between Chinese
// characters, which know no spaces, is found without them.
const label = String.raw`[\p{Script=Latin}\d](?:[\p{Script=Latin}\d-]{0,61}[\p{Script=Latin}\d])?`;
const email = String.raw`(?<![\p{Script=Latin}\d_%+-])[\p{Script=Latin}\d_%+-][\p{Script=Latin}\d._%+'-]{0,63}@(?:${label}\.){1,8}\p{Script=Latin}{2,24}(?![\p{Script=Latin}\d-])`;

const maxUrlLength = 2_010;
const urlCharacter = String.raw`[^\s<>"“”«»${'`'}\\\p{Cc}\p{Cf}\u3000-\u303f\uff00-\uffef]`;
// Without a scheme or www, only hosts under well-known domains and with a path: "Amazon.com" is a company.
const knownDomains =
  'com|org|net|edu|gov|io|co|info|biz|dev|app|me|ly|uk|de|fr|eu|us|ca|au|ch|at|nl|be|it|es|se|no|dk|pl|jp|in|br';
const schemed = String.raw`(?<![\p{L}\d])(?:https?:\/\/|s?ftp:\/\/|www\.)${urlCharacter}{1,2000}`;
const bare = String.raw`(?<![\p{L}\d@._/-])(?:[a-z\d][a-z\d-]{0,62}\.){1,4}(?:${knownDomains})\/${urlCharacter}{1,1700}`;

const closing = new Set('.,;:!?\'"*’…)]}|');

/** Cuts what belongs to the sentence around it: closing punctuation, but not a bracket that the URL itself opened. */
const acceptUrl = ({ text }: Candidate): Accepted | null => {
  const opensBracket = text.includes('(');
  let end = text.length;
  while (closing.has(text.charAt(end - 1)) && !(text.charAt(end - 1) === ')' && opensBracket)) end -= 1;
  const isUrl = /^(?:https?:\/\/|s?ftp:\/\/|www\.|[a-z\d])[^\s/?#.:]/iu.test(text.slice(0, end));
  return isUrl ? { begin: 0, end, validator: 'syntax' } : null;
};

const addressWords = anyWord(
  'ips? ipv4 ipv6 address(?:es)? hosts? servers? databases? instances? clusters? ssh dns gateway router subnet netmask network ping localhost listen(?:ing|s)? connect(?:ed|ion|ing)? proxy port nameserver',
);
const outlineWords =
  /(?:§|\b(?:sections?|clauses?|articles?|chapters?|paragraphs?|para|parts?|items?|tables?|figures?|appendix|annex|schedule|rules?|versions?|ver|v|releases?|builds?|firmware|revision|rev)\.?)\s*$/iu;

/** Four decimal octets, none above 255 and none with a leading zero. */
export function isIpv4(candidate: string): boolean {
  return candidate.split('.').every((octet) => String(Number(octet)) === octet && Number(octet) <= 255);
}

/** Small numbers with stops are sections of a contract and versions of a program more often than addresses. */
const acceptIpv4 = (candidate: Candidate): Accepted | null => {
  if (!isIpv4(candidate.text)) return null;
  if (outlineWords.test(before(candidate, 24))) return null;
  const isOutline = candidate.text.split('.').every((octet) => Number(octet) < 30);
  const isAddress = !isOutline || /^[:/]\d/.test(after(candidate, 2)) || hasNear(candidate, addressWords);
  return isAddress ? wholeOf(candidate, 'syntax') : null;
};

/** All eight groups, or a shortened address with a digit in it: `a::b` is C++ as well. */
const isIpv6Address = (text: string): boolean => {
  if (!isIPv6(text)) return false;
  const groups = text.split(':').filter((group) => group !== '');
  return groups.length === 8 || (/\d/.test(text) && groups.some((group) => group.length >= 3));
};

/** How to reach somebody, and where something is in a network. */
export const contactDetectors: readonly Detector[] = [
  {
    type: 'EMAIL',
    candidate: new RegExp(email, 'gu'),
    maxLength: 610,
    needs: /@/,
    accept: acceptIf('syntax', (text) => !/\.\.|[.']@/.test(text)),
  },
  phoneDetector,
  {
    type: 'URL',
    candidate: new RegExp(`${schemed}|${bare}`, 'giu'),
    maxLength: maxUrlLength,
    needs: /\/|www\./i,
    accept: acceptUrl,
  },
  {
    type: 'IP',
    candidate: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\d)/g,
    maxLength: 15,
    needs: /\d\.\d/,
    accept: acceptIpv4,
  },
  {
    type: 'IP',
    candidate: /(?<![\w:.])(?:[\dA-Fa-f]{1,4}:|::)[\dA-Fa-f:]{2,36}(?:(?:\.\d{1,3}){3})?(?![\w:])/g,
    maxLength: 60,
    needs: /:[\dA-Fa-f:]/,
    accept: acceptIf('syntax', isIpv6Address),
  },
];
