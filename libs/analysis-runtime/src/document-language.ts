import { Refused } from '@anabranch/failures';

const names = new Intl.DisplayNames(['en'], { type: 'language' });

/** The language of a tag, without script and region; null when it is no tag at all. */
const primaryOf = (tag: string): string | null => /^([a-z]{2,3})(?:-|$)/i.exec(tag)?.[1]?.toLowerCase() ?? null;

const nameOf = (tag: string): string => `${names.of(primaryOf(tag) ?? 'und') ?? 'an unknown language'} (${tag})`;

/** The language of a document, as far as it is known. */
export interface DocumentLanguage {
  /** BCP 47 tag; null when it is not known. */
  language: string | null;
  warnings: string[];
}

/**
 * What a text reads as counts; what its producer says counts when the text does not show it, or agrees and is more
 * exact ("en-GB"). That they differ is worth a warning.
 */
export function languageOf(declared: string | null, detected: string | null): DocumentLanguage {
  const primary = declared === null ? null : primaryOf(declared);
  if (declared === null || primary === null) return { language: detected, warnings: [] };
  if (detected === null || primary === detected) return { language: declared, warnings: [] };
  const warning = `The producer says that the text is in ${nameOf(declared)}; it reads as ${nameOf(detected)}.`;
  return { language: detected, warnings: [warning] };
}

/**
 * Refuses a document in a language that is not among those that an analysis, or its rules, know. One whose language is
 * not known is let through: a short English text must not be refused for being short.
 * @param known languages of two or three letters; empty = all
 * @throws Refused UNSUPPORTED_LANGUAGE, naming both
 */
export function requireLanguage(language: string | null, known: readonly string[]): void {
  if (language === null || known.length === 0 || known.includes(primaryOf(language) ?? '')) return;
  const list = known.map(nameOf).join(', ');
  throw new Refused('UNSUPPORTED_LANGUAGE', `The document is in ${nameOf(language)}; this analysis knows ${list}.`);
}
