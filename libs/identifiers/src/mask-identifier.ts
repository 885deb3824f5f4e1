import { fold } from './fold-text.js';
import { type Identifier, identifierFamilies } from './identifier.js';

type Value = Pick<Identifier, 'type' | 'text'>;

const maskEmail = (text: string): string => {
  const [local = '', host = ''] = text.split('@');
  return `${local.slice(0, 1)}***@***${host.slice(host.lastIndexOf('.'))}`;
};

const maskAddress = (text: string): string => {
  const [first = '', isDecimal] = [text.split(/[.:]/)[0], text.includes('.') && !text.includes(':')];
  return isDecimal ? `${first}.*.*.*` : `${first}:***`;
};

/** Letters and digits only, in capitals: the same value written in groups, with hyphens or in small letters. */
const compact = (text: string): string => text.replace(/[^\p{L}\d]/gu, '').toUpperCase();

/** Shows the end of a value, at most a quarter of it. */
const maskToEnd = (text: string, shown: number): string => {
  const value = compact(text);
  const count = Math.min(shown, Math.floor(value.length / 4));
  return count === 0 ? '****' : `**** ${value.slice(-count)}`;
};

/**
 * A form of an identifier that may be stored and shown: enough to recognise one's own value, not to recover it.
 * CARD `**** 1111`, IBAN `DE** **** 3000`, SSN `***-**-6789`, EMAIL `j***@***.com`, PHONE `**** 93`, IP `192.*.*.*`,
 * URL `https://***`, other national ids `**** 47`, secrets `***`.
 */
export function maskIdentifier({ type, text: asWritten }: Value): string {
  const text = fold(asWritten);
  switch (type) {
    case 'CARD':
      return maskToEnd(text, 4);
    case 'IBAN':
      return `${text.slice(0, 2).toUpperCase()}** ${maskToEnd(text, 4)}`;
    case 'SSN':
      return `***-**-${compact(text).slice(-4)}`;
    case 'EMAIL':
      return maskEmail(text);
    case 'IP':
      return maskAddress(text);
    case 'URL':
      return `${/^\w+:\/\//.exec(text)?.[0] ?? ''}***`;
    default:
      return identifierFamilies[type] === 'secret' ? '***' : maskToEnd(text, 2);
  }
}

/**
 * The form in which two spellings of one value are equal, for keyed hashes: separators, and the script of digits, do not
 * count in numbers, nor does case in numbers and hosts; nor characters that cannot be seen.
 */
export function normalizeIdentifier({ type, text: asWritten }: Value): string {
  const text = fold(asWritten);
  if (type === 'URL' || identifierFamilies[type] === 'secret') return text;
  if (type === 'EMAIL' || type === 'IP') return text.toLowerCase();
  if (type !== 'PHONE') return compact(text);
  const digits = text.replace(/\(0\)/, '').replace(/\D/g, '');
  return text.startsWith('+') || digits.startsWith('00') ? `+${digits.replace(/^00/, '')}` : digits;
}
