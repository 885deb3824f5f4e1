// Apart from the lib's index: the detector's table costs its process tens of megabytes, and engines do not need it.
import { eld } from 'eld/extrasmall';

/**
 * The detector has names for 60 languages and hears the nearest of them in any list of foreign names. English is what
 * engines know, so another language must score higher than English by this much to be believed.
 */
const leadOverEnglish = 0.1;
const english = 'en';

interface Reading {
  language: string;
  isReliable: boolean;
  /** How much higher the language scores than English. */
  lead: number;
}

const read = (window: string): Reading => {
  const reading = eld.detect(window);
  const scores = reading.getScores();
  const lead = (scores[reading.language] ?? 0) - (scores[english] ?? 0);
  return { language: reading.language, isReliable: reading.isReliable(), lead };
};

const isBelieved = ({ language, isReliable, lead }: Reading): boolean =>
  language !== '' && isReliable && (language === english || lead >= leadOverEnglish);

/**
 * The language that a text's windows (`languageWindows`) read as: the BCP 47 tag of the one that more than half of them
 * agree on, or null when there is none: too short, mixed, or too close to English to refuse it.
 */
export function detectLanguage(windows: readonly string[]): string | null {
  const votes = new Map<string, number>();
  for (const { language } of windows.map(read).filter(isBelieved)) votes.set(language, (votes.get(language) ?? 0) + 1);
  const [best] = [...votes].sort(([, one], [, other]) => other - one);
  return best !== undefined && best[1] > windows.length / 2 ? best[0] : null;
}
