import { acceptIf, wholeOf } from './accept.js';
import { entropyOf } from './checksums.js';
import type { Accepted, Candidate, Detector } from './identifier.js';

/** A JWT's header must decode to an object that names an algorithm (RFC 7519, RFC 7515). */
export function isJwt(text: string): boolean {
  try {
    const header: unknown = JSON.parse(Buffer.from(text.slice(0, text.indexOf('.')), 'base64url').toString('utf8'));
    return typeof header === 'object' && header !== null && 'alg' in header;
  } catch {
    return false; // Not JSON: no JWT.
  }
}

// What stands where a secret belongs in examples and templates.
const placeholder =
  /^(?:x+|\*+|\.+|<.*|\$[{(]?\w.*|%.*|\{\{.*|process\.env.*|os\.environ.*|getenv.*|env\..*|your.*|my[-_].*|example.*|sample.*|dummy.*|test(?:ing)?|change_?me.*|placeholder.*|redacted.*|null|none|undefined|true|false|todo.*)$/i;

// A call or an access of a program, such as createToken(user) or rows[0].
const expression = /^[\w$.?!]{1,80}[([{]|[?|&]{2}/;
const word = /^(?:[A-Za-z]{0,24}|\d{1,4}|[A-Za-z]{1,16}\d{1,2}|\d{1,2}[A-Za-z]{1,2})$/;
/** Names are words with marks between them (access_token_v2); what a generator made mixes letters and digits. */
const isNameOrCode = (value: string): boolean =>
  expression.test(value) || value.split(/[_\-./:$]/).every((part) => word.test(part));

/** Whether a value is as random as generated ones are, by length, kinds of characters and entropy. */
const isGenerated = (value: string, minLength: number, minEntropy: number): boolean => {
  const isMixed = /[A-Za-z]/.test(value) && /\d/.test(value);
  return value.length >= minLength && isMixed && !placeholder.test(value) && entropyOf(value) >= minEntropy;
};

const endsValue = new Set(['"', "'", '`', '=', ':', '>', ',', ';', ' ', '\t']);

/** Accepts the value of `name = value`, without its quotes. */
const acceptValue =
  (isSecret: (value: string) => boolean) =>
  ({ text }: Candidate): Accepted | null => {
    const end = /["'`]$/.test(text) ? text.length - 1 : text.length;
    let begin = end;
    while (begin > 0 && !endsValue.has(text.charAt(begin - 1))) begin -= 1;
    return isSecret(text.slice(begin, end)) ? { begin, end, validator: 'syntax' } : null;
  };

const name = (words: string): string =>
  String.raw`(?<![\p{L}\p{N}])[\w-]{0,40}(?:${words})[\w-]{0,20}["'${'`'}]?[ \t]{0,4}(?:=|:|=>|:=)[ \t]{0,4}["'${'`'}]?`;

const tokens = [
  'glpat-[A-Za-z0-9_-]{20,64}', // GitLab
  'xox[abeoprs]-[A-Za-z0-9-]{10,200}', // Slack
  '[rs]k_(?:live|test)_[A-Za-z0-9]{16,128}', // Stripe
  'AIza[A-Za-z0-9_-]{35}', // Google
  'sk-(?:proj-|ant-|svcacct-)?[A-Za-z0-9_-]{32,200}', // OpenAI, Anthropic
  'npm_[A-Za-z0-9]{36}',
  String.raw`SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`, // SendGrid
  'dop_v1_[a-f0-9]{64}', // DigitalOcean
  'hf_[A-Za-z0-9]{30,40}', // Hugging Face
  'pypi-[A-Za-z0-9_-]{50,240}',
];
const github = 'gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9_]{22,251}';
const whole = (pattern: string): RegExp => new RegExp(`(?<![A-Za-z0-9_-])(?:${pattern})(?![A-Za-z0-9_-])`, 'g');

const of = (type: Detector['type'], pattern: string, needs: RegExp): Detector => ({
  type,
  candidate: whole(pattern),
  maxLength: 264,
  needs,
  accept: acceptIf('syntax', (text) => new Set(text.slice(-16)).size > 4),
});

const maxKeyLength = 16_384;
const keyLine = String.raw`(?!-----)[A-Za-z0-9+\/=:, \t.()-]{0,200}(?:\r\n|\r|\n|\\n)`;

/** Credentials that open something: whoever reads the document can use them. */
export const secretDetectors: readonly Detector[] = [
  {
    type: 'PRIVATE_KEY',
    // Up to its end where that is near; the first line alone betrays a key that was cut.
    candidate: new RegExp(
      String.raw`-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----(?:(?:\r\n|\r|\n|\\n)(?:${keyLine}){1,150}-----END (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----)?`,
      'g',
    ),
    maxLength: maxKeyLength,
    needs: /PRIVATE KEY/,
    accept: (candidate) => wholeOf(candidate, 'syntax'),
  },
  {
    type: 'JWT',
    candidate: /(?<![\w.-])eyJ[\w-]{10,2000}\.[\w-]{4,8000}\.[\w-]{0,2000}(?![\w-])/g,
    maxLength: 12_008,
    needs: /eyJ/,
    accept: acceptIf('structure', isJwt),
  },
  of('AWS_ACCESS_KEY', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}', /A[KSBC][IC]A/),
  of('GITHUB_TOKEN', github, /gh[pousr]_|github_pat_/),
  of('PROVIDER_TOKEN', tokens.join('|'), /glpat-|xox|k_(?:live|test)_|AIza|sk-|npm_|SG\.|dop_v1_|hf_|pypi-/),
  {
    type: 'API_KEY',
    candidate: new RegExp(
      `${name('api[_-]?key|apikey|secret|token|access[_-]?key|auth[_-]?key|private[_-]?key|credential')}[^\\s"'\`,;]{16,256}["'\`]?`,
      'giu',
    ),
    maxLength: 360,
    needs: /key|secret|token|credential/i,
    accept: acceptValue((value) => isGenerated(value, 16, 3) && !isNameOrCode(value)),
  },
  {
    type: 'PASSWORD',
    candidate: new RegExp(`${name('password|passwd|passphrase|pwd')}[^\\s"'\`,;]{8,128}["'\`]?`, 'giu'),
    maxLength: 240,
    needs: /pass|pwd/i,
    accept: acceptValue((value) => isGenerated(value, 8, 2.5) && !expression.test(value)),
  },
  {
    type: 'PASSWORD',
    // In a URL, before the host: scheme://user:password@host
    candidate: /(?<![\p{L}\d])[a-z][a-z\d+.-]{1,20}:\/\/[^\s:/@"'<>]{1,64}:[^\s:/@"'<>]{3,128}(?=@[\p{L}\d])/giu,
    maxLength: 220,
    needs: /:\/\//,
    accept: ({ text }) => {
      const begin = text.lastIndexOf(':') + 1;
      return placeholder.test(text.slice(begin)) ? null : { begin, end: text.length, validator: 'syntax' };
    },
  },
];
