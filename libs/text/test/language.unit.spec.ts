import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cleanText, detectLanguage, languageWindows } from '../src/index.js';
import { isPlainlyEnglish } from '../src/plain-english.js';

const documents = new URL('../../../e2e/test/documents/', import.meta.url);
const readDocument = (path: string): string => {
  const bytes = readFileSync(new URL(path, documents));
  const text = bytes.toString('utf8');
  // One of the speeches is Latin-1: ingestion decodes it, and this is what it hands on.
  return cleanText(text.includes('\ufffd') ? bytes.toString('latin1') : text);
};
const languageOf = (text: string): Promise<string | null> => detectLanguage(languageWindows(text));

const english = 'The committee met on Tuesday to discuss the budget for the coming year and agreed to a plan. ';
const german = 'Der Ausschuss hat sich am Dienstag getroffen und den Haushalt des kommenden Jahres beraten. ';

describe('detectLanguage', () => {
  it.each([
    ['arb', 'ar'],
    ['cmn_hans', 'zh'],
    ['deu', 'de'],
    ['eng', 'en'],
    ['fra', 'fr'],
    ['heb', 'he'],
    ['hin', 'hi'],
    ['jpn', 'ja'],
    ['rus', 'ru'],
    ['spa', 'es'],
    ['tur', 'tr'],
    ['vie', 'vi'],
  ])('names the language of the declaration of human rights in %s', async (file, tag) => {
    expect(await languageOf(readDocument(`languages/${file}.txt`))).toBe(tag);
  });

  it.each(readdirSync(new URL('english/', documents)))('takes %s for English', async (file) => {
    expect(await languageOf(readDocument(`english/${file}`))).toBe('en');
  });

  it.each([
    ['a text of few letters', 'Works great, I love it.'],
    ['numbers', '1,234.50 77 12.5\n'.repeat(1_000)],
    ['one letter', 'a'.repeat(100_000)],
    ['a run without a space', 'qwertzuiopasdfghjklyxcvbnm'.repeat(10_000)],
    ['emoji', '😀'.repeat(10_000)],
    ['nothing', ''],
    ['a list of e-mail addresses', Array.from({ length: 300 }, (_, index) => `u${index}@ex.com`).join('\n')],
    ['a list of URLs', 'https://exemple.fr/produits/nouveautes/de/la/semaine\n'.repeat(40)],
    ['two languages by halves', english.repeat(60) + german.repeat(60)],
  ])('does not guess at %s', async (_name, text) => {
    expect(await languageOf(text)).toBeNull();
  });

  it('goes by the larger part of a text that begins in another language', async () => {
    expect(await languageOf(english.repeat(3) + german.repeat(60))).toBe('de');
    expect(await languageOf(german.repeat(3) + english.repeat(60))).toBe('en');
  });

  it('reads a script that says much in few letters sooner than a Latin one', async () => {
    expect(await languageOf('公司昨天宣布了新的年度财务计划。')).toBe('zh');
    expect(await languageOf('请联系bob@example.com公司昨天宣布了新的年度财务计划。')).toBe('zh');
  });

  it('reads letters with parted marks and words with invisible characters in them', async () => {
    expect(await languageOf(readDocument('languages/vie.txt').normalize('NFD'))).toBe('vi');
    expect(await languageOf(english.split('').join('\u200b'))).toBe('en');
  });
});

/** As many words and names as possible that are English words, too. */
const neighbours = {
  nl: 'De commissie van The Hague heeft op dinsdag in het huis over de begroting gesproken en was het met het plan eens, want de minister had in de brief aan The Guardian en The Times al gezegd dat de helft van het geld is besteed. We hebben over de rest van het jaar nog niet gesproken. ',
  da: 'Udvalget var i The Plaza tirsdag for at tale om budgettet for det kommende aar, og alle var enige. Vi har over og under os et hus, som her i byen er for stort til at have for os selv. The Beatles kom for at se, hvad man i byen kan have for sig selv. ',
  tl: 'Ang komite ay nagpulong noong Martes at napagkasunduan ang badyet para sa darating na taon. May mga kasapi na hindi sang-ayon, at may ilan na umalis. Ayon sa The Philippine Star, may mga bagong tao na darating at may mga aalis. ',
  de: 'Der Ausschuss hat sich am Dienstag in The Hague getroffen und war so an dem Plan interessiert, was er in der Sitzung am Ende so gesagt hat. Man war an Bord, als in der Stadt The Rolling Stones am Abend so laut war, was an dem Wind lag. ',
};

describe('isPlainlyEnglish', () => {
  const windowsOf = (folder: string, files: readonly string[]): string[] =>
    files.flatMap((file) => languageWindows(readDocument(`${folder}/${file}`)));

  it('is no window of another language', () => {
    const files = readdirSync(new URL('languages/', documents)).filter(
      (file) => file.endsWith('.txt') && file !== 'eng.txt',
    );
    const windows = windowsOf('languages', files);
    expect(windows.length).toBeGreaterThan(50);
    expect(windows.filter(isPlainlyEnglish)).toEqual([]);
  });

  it('is most English prose, so that the detector is spared it', () => {
    const windows = windowsOf('english', readdirSync(new URL('english/', documents)));
    expect(windows.filter(isPlainlyEnglish).length / windows.length).toBeGreaterThan(0.75);
  });

  it.each(Object.entries(neighbours))(
    'is no text in %s that is full of words which look English',
    async (tag, text) => {
      expect(isPlainlyEnglish(text)).toBe(false);
      expect(await languageOf(text)).toBe(tag);
    },
  );

  it.each([
    ['few words', 'The end of the beginning of the end.'],
    ['words of other scripts', `${english}Комитет собрался во вторник.`],
    [
      'a list of names',
      'The Hague, The Bronx, The Gambia, Paris, London, Rome, Bern, Oslo, Riga, Kyiv, Baku, Lima, Quito',
    ],
  ])('does not stand for %s', (_name, text) => {
    expect(isPlainlyEnglish(text)).toBe(false);
  });
});

describe('languageWindows', () => {
  it('reads a bounded part of any text, from its begin to its end', () => {
    const windows = languageWindows(`${'begin '.repeat(200)}${'middle '.repeat(1_000_000)}${'end '.repeat(300)}`);
    expect(windows.length).toBeLessThanOrEqual(6);
    expect(windows[0]).toContain('begin');
    expect(windows[2]).toContain('middle');
    expect(windows.at(-1)).toContain('end');
    expect(windows.join('').length).toBeLessThan(5_000);
  });

  it('sees the end of a text of any length', () => {
    for (const length of [390, 420, 500, 700, 790, 810, 1_200, 1_700, 5_000]) {
      const text = `${'1234 '.repeat(length / 5)}${english}`.slice(-length);
      expect(languageWindows(text).at(-1)).toContain('agreed to a plan');
    }
  });

  it('reads bytes of UTF-8 without decoding all of them', async () => {
    for (const file of ['deu', 'cmn_hans', 'rus', 'eng']) {
      const bytes = readFileSync(new URL(`languages/${file}.txt`, documents));
      expect(await detectLanguage(languageWindows(bytes))).toBe(await languageOf(bytes.toString('utf8')));
    }
    expect(languageWindows(new Uint8Array(0))).toEqual([]);
  });

  it('makes well-formed windows of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (text) =>
        [...languageWindows(text), ...languageWindows(Buffer.from(text))].every((window) => window.isWellFormed()),
      ),
    );
  });
});
