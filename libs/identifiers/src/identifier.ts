/**
 * What stands behind a finding. `luhn`, `mod97` and `check-digit` are checksums; `numbering-plan` is a telephone number
 * that exists in its country's plan; `structure` is a value that decodes as what it claims to be; `ranges` are the
 * issuer's rules about which values are never given out; `syntax` is the form alone.
 */
export type Validator = 'luhn' | 'mod97' | 'check-digit' | 'numbering-plan' | 'structure' | 'ranges' | 'syntax';

/** What an identifier is about; rules of compliance are written in these terms. */
export type IdentifierFamily = 'payment' | 'contact' | 'network' | 'national-id' | 'secret';

/** Every kind of identifier, and its family. */
export const identifierFamilies = {
  CARD: 'payment',
  IBAN: 'payment',
  EMAIL: 'contact',
  PHONE: 'contact',
  URL: 'network',
  IP: 'network',
  SSN: 'national-id',
  UK_NINO: 'national-id',
  UK_NHS_NUMBER: 'national-id',
  DE_TAX_ID: 'national-id',
  ES_DNI: 'national-id',
  ES_NIE: 'national-id',
  FR_NIR: 'national-id',
  IT_FISCAL_CODE: 'national-id',
  NL_BSN: 'national-id',
  BE_NATIONAL_NUMBER: 'national-id',
  CH_AHV: 'national-id',
  PL_PESEL: 'national-id',
  FI_HETU: 'national-id',
  CA_SIN: 'national-id',
  BR_CPF: 'national-id',
  AWS_ACCESS_KEY: 'secret',
  GITHUB_TOKEN: 'secret',
  PROVIDER_TOKEN: 'secret',
  PRIVATE_KEY: 'secret',
  JWT: 'secret',
  API_KEY: 'secret',
  PASSWORD: 'secret',
} as const satisfies Record<string, IdentifierFamily>;

export type IdentifierType = keyof typeof identifierFamilies;

/** An identifier in a text, in UTF-16 units, end exclusive: `text` is exactly what stands there. */
export interface Identifier {
  type: IdentifierType;
  begin: number;
  end: number;
  text: string;
  /** 1 when a checksum, a numbering plan or the value's own structure confirms it; null when only its form speaks for it. */
  score: number | null;
  validator: Validator;
}

/** Text that looks like an identifier, and where it stands. */
export interface Candidate {
  text: string;
  /** UTF-16 index in the document. */
  begin: number;
  document: string;
}

/** The part of a candidate that counts, in UTF-16 units of the candidate, and what confirmed it. */
export interface Accepted {
  begin: number;
  end: number;
  validator: Validator;
}

/** One kind of identifier: how candidates look, and what makes one of them real. */
export interface Detector {
  type: IdentifierType;
  /**
   * Must be linear: repetition is bounded, a text can be read in one way only, and a look-behind lets a match begin
   * only where a run begins. It looks no further than `contextLength` around a match.
   */
  candidate: RegExp;
  /** Longest candidate, in UTF-16 units. */
  maxLength: number;
  /** What every candidate contains: windows without it are passed over. */
  needs: RegExp;
  /** What of a candidate is of this kind; null when nothing is. Reads at most some hundred characters around it. */
  accept(candidate: Candidate): Accepted | null;
}

/** How far a candidate's pattern looks around itself, in UTF-16 units. */
export const contextLength = 8;
