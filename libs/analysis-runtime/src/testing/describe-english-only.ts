import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { cleanText } from '@anabranch/text';
import type { AnyAnalysis } from '../define-analysis.js';
import { createHarness } from './harness.js';

// Real documents: speeches in English, and the declaration of human rights in twelve languages.
const documents = new URL('../../../../e2e/test/documents/', import.meta.url);

const readDocument = (path: string): string => {
  const bytes = readFileSync(new URL(path, documents));
  const text = bytes.toString('utf8');
  // One of the speeches is Latin-1; ingestion decodes it, and this is what it hands on.
  return cleanText(text.includes('\ufffd') ? bytes.toString('latin1') : text);
};

const otherLanguages = [
  ['arb', 'Arabic (ar)'],
  ['cmn_hans', 'Chinese (zh)'],
  ['deu', 'German (de)'],
  ['fra', 'French (fr)'],
  ['heb', 'Hebrew (he)'],
  ['hin', 'Hindi (hi)'],
  ['jpn', 'Japanese (ja)'],
  ['rus', 'Russian (ru)'],
  ['spa', 'Spanish (es)'],
  ['tur', 'Turkish (tr)'],
  ['vie', 'Vietnamese (vi)'],
] as const;

/** The promises of an analysis that needs English. */
export function describeEnglishOnly(definition: AnyAnalysis): void {
  const store = { get: () => Promise.reject(new Error('nothing is stored')), put: () => Promise.resolve(stored) };
  const stored = { key: 'tenant-1/result', sha256: 'a'.repeat(64), bytes: 1 };
  const outcomeOf = (text: string) => createHarness(definition, { store }).outcomeOf({ text });

  describe(`${definition.name}: an analysis that needs English`, () => {
    it.each(otherLanguages)(
      'refuses the declaration of human rights in %s, and says that it is in %s',
      async (file, name) => {
        const { outcome, language } = await outcomeOf(readDocument(`languages/${file}.txt`));
        expect(outcome).toMatchObject({ status: 'REFUSED', refusal: { code: 'UNSUPPORTED_LANGUAGE' } });
        expect(outcome.refusal?.message).toContain(name);
        expect(name).toContain(`(${language})`);
      },
    );

    it.each([...readdirSync(new URL('english/', documents)).map((file) => `english/${file}`), 'languages/eng.txt'])(
      'accepts %s',
      async (file) => {
        const { outcome, language } = await outcomeOf(readDocument(file));
        expect({ status: outcome.status, language }).toEqual({ status: 'DONE', language: 'en' });
      },
      30_000,
    );

    it('does not refuse a text that is too short to tell', async () => {
      const { outcome, language } = await outcomeOf('Sehr gut.');
      expect({ status: outcome.status, language }).toEqual({ status: 'DONE', language: null });
    });
  });
}
