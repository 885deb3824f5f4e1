import { isPlainlyEnglish } from './plain-english.js';

/**
 * The detector has names for 60 languages and hears the nearest of them in any list of foreign names. English is what
 * engines know, so another language must score higher than English by this much to be believed.
 */
const leadOverEnglish = 0.1;
const english = 'en';

type Detector = (typeof import('eld/extrasmall'))['eld'];

let loading: Promise<Detector> | undefined;

/** Its table costs the process tens of megabytes and a tenth of a second: whoever sees English alone does without. */
function loadDetector(): Promise<Detector> {
  loading ??= import('eld/extrasmall').then(({ eld }) => eld);
  // Whatever kept it from being read, such as too many open files, may be over with the next text.
  loading.catch(() => (loading = undefined));
  return loading;
}

/** The language that a window reads as; null when that is not to be believed. */
const read = async (window: string): Promise<string | null> => {
  const eld = await loadDetector();
  const reading = eld.detect(window);
  const { language } = reading;
  if (language === '' || !reading.isReliable()) return null;
  if (language === english) return language;
  const scores = reading.getScores();
  return (scores[language] ?? 0) - (scores[english] ?? 0) >= leadOverEnglish ? language : null;
};

/**
 * The language that a text's windows (`languageWindows`) read as: the BCP 47 tag of the one that more than half of them
 * agree on, or null when there is none: too short, mixed, or too close to English to refuse it.
 */
export async function detectLanguage(windows: readonly string[]): Promise<string | null> {
  const votes = new Map<string, number>();
  for (const window of windows) {
    // Most documents are, and the detector would take a fifth of the time of an analysis that has little to do.
    const language = isPlainlyEnglish(window) ? english : await read(window);
    if (language === null) continue;
    const count = (votes.get(language) ?? 0) + 1;
    // The others cannot change it any more.
    if (count > windows.length / 2) return language;
    votes.set(language, count);
  }
  return null;
}
