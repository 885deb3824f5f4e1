import { describe, expect, it } from '@jest/globals';
import { Refused } from '@anabranch/failures';
import { languageOf, requireLanguage } from '../src/document-language.js';

describe('languageOf', () => {
  it.each([
    ['neither is known', null, null, null],
    ['only the text shows it', null, 'de', 'de'],
    ['only the producer says it', 'de', null, 'de'],
    ['both agree, and the producer is more exact', 'en-GB', 'en', 'en-GB'],
    ['the producer says what is no tag', 'English, I think', 'en', 'en'],
  ])('has no doubt when %s', (_name, declared, detected, language) => {
    expect(languageOf(declared, detected)).toEqual({ language, warnings: [] });
  });

  it('believes the text, and warns, when its producer says something else', () => {
    expect(languageOf('en', 'de')).toEqual({
      language: 'de',
      warnings: ['The producer says that the text is in English (en); it reads as German (de).'],
    });
  });
});

describe('requireLanguage', () => {
  it.each([
    ['the language is known', 'en', ['en']],
    ['it is a variety of a known one', 'en-GB', ['fr', 'en']],
    ['it is not known which it is', null, ['en']],
    ['the analysis knows all', 'de', []],
  ])('lets a document through when %s', (_name, language, known) => {
    expect(() => requireLanguage(language, known)).not.toThrow();
  });

  it('refuses a document in another language, and names both', () => {
    const attempt = () => requireLanguage('pt-BR', ['en', 'fr']);
    expect(attempt).toThrow(Refused);
    expect(attempt).toThrow('The document is in Portuguese (pt-BR); this analysis knows English (en), French (fr).');
  });
});
