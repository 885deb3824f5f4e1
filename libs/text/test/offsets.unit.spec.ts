import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countCodePoints, createOffsets } from '../src/index.js';

const anyText = fc.string({ unit: 'binary', maxLength: 120 });

describe('createOffsets', () => {
  it('agrees with the language about every code point of any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const offsets = createOffsets(text);
        let utf16 = 0;
        Array.from(text).forEach((character, codePoint) => {
          expect(offsets.toCodePoint(utf16)).toBe(codePoint);
          expect(offsets.toUtf16(codePoint)).toBe(utf16);
          utf16 += character.length;
        });
        expect(offsets.toCodePoint(text.length)).toBe(offsets.length);
        expect(offsets.toUtf16(offsets.length)).toBe(text.length);
        expect(countCodePoints(text)).toBe(Array.from(text).length);
      }),
    );
  });

  it('counts an index inside a surrogate pair as the pair’s begin', () => {
    expect(createOffsets('a😀b').toCodePoint(2)).toBe(1);
  });

  it('counts a lone surrogate as one code point', () => {
    expect(createOffsets('\ud83d\ud83d\ude00\ude00').length).toBe(3);
  });

  it.each([-1, 5, 0.5, Number.NaN])('refuses %p, which lies outside the text', (offset) => {
    const offsets = createOffsets('a😀b');
    expect(() => offsets.toCodePoint(offset)).toThrow(RangeError);
    expect(() => offsets.toUtf16(offset)).toThrow(RangeError);
  });
});
