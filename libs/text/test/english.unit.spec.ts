import { describe, expect, it } from '@jest/globals';
import { findContentWords, isFunctionWord, stemEnglish } from '../src/index.js';

describe('stemEnglish', () => {
  it.each([
    ['election', 'elections'],
    ['party', 'parties'],
    ['box', 'boxes'],
    ['class', 'classes'],
    ['license', 'licensing'],
    ['political', 'politics'],
    ['quick', 'quickly'],
    ['national', 'nation'],
    ['medical', "medical's"],
    ['stop', 'stopping'],
  ])('gives %s and %s one stem', (one, other) => {
    expect(stemEnglish(other)).toBe(stemEnglish(one));
  });

  it.each([
    ['bus', 'business'],
    ['station', 'state'],
    ['news', 'newer'],
    ['thing', 'the'],
    ['organ', 'organization'],
  ])('keeps %s and %s apart', (one, other) => {
    expect(stemEnglish(other)).not.toBe(stemEnglish(one));
  });

  it('leaves nothing empty and short words as they are', () => {
    expect(['as', 'was', 'ed', 'ally', 'ingsing'].map(stemEnglish)).not.toContain('');
    expect(stemEnglish('gas')).toBe('gas');
  });
});

describe('isFunctionWord', () => {
  it('knows them with either apostrophe', () => {
    expect(["don't", 'don’t', 'the', 'of'].every(isFunctionWord)).toBe(true);
    expect(['bridge', 'o’clock', "quay's"].some(isFunctionWord)).toBe(false);
  });
});

describe('findContentWords', () => {
  it('finds what a text is about, where it stands, with its stem', () => {
    const text = 'The 😀 elections of 2024 weren’t quick.';
    const words = findContentWords(text);
    expect(words.map(({ stem }) => stem)).toEqual(['election', '2024', 'quick']);
    expect(words.every((word) => text.slice(word.begin, word.end) === word.text)).toBe(true);
  });
});
