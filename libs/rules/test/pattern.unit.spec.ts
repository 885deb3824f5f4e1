import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compilePattern, InvalidPattern, maxPatternLength } from '../src/index.js';

const found = (pattern: string, text: string): string[] =>
  compilePattern(pattern)
    .find(text)
    .map(({ begin, end }) => text.slice(begin, end));

describe('compilePattern', () => {
  it('finds all matches, in order, by UTF-16 units', () => {
    expect(found('\\b[A-Z]{2}-\\d+', '😀 AB-1, then cd-2; XY-345.')).toEqual(['AB-1', 'XY-345']);
    expect(compilePattern('b+').find('😀bb')).toEqual([{ begin: 2, end: 4 }]);
  });

  it('ignores case only when it is asked to', () => {
    expect(found('invoice', 'Invoice invoice')).toEqual(['invoice']);
    expect(found('(?i)invoice', 'Invoice invoice')).toEqual(['Invoice', 'invoice']);
  });

  it('has no empty matches', () => {
    expect(found('a*', 'baab')).toEqual(['aa']);
  });

  it('claims places that lie within any text', () => {
    const pattern = compilePattern('(?i)[a-f]+|\\p{L}.');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        let last = 0;
        for (const { begin, end } of pattern.find(text)) {
          expect(begin).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(begin);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it.each([
    ['nothing', '', 'empty'],
    ['an open class', '[a', 'missing closing'],
    ['a look-ahead', 'a(?=b)', 'RE2 syntax'],
    ['a back-reference', '(a)\\1', 'RE2 syntax'],
    ['a program of thousands of steps', '(?:(?:a{1,30}){1,30})b', 'steps'],
    ['a pattern that is too long', 'a'.repeat(maxPatternLength + 1), 'longer than'],
  ])('refuses %s, and says why', (_name, source, reason) => {
    expect(() => compilePattern(source)).toThrow(InvalidPattern);
    expect(() => compilePattern(source)).toThrow(reason);
  });

  it.each(['(a+)+$', '(a|aa)+$', '(?:a?){60}a{60}', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'runs %s, which makes backtracking engines stand still, in no time',
    (source) => {
      const pattern = compilePattern(source);
      const before = process.cpuUsage().user;
      pattern.find(`${'a'.repeat(4_000)}!`);
      expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(500);
    },
  );
});
