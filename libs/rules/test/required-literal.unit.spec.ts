import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { compilePattern, InvalidPattern } from '../src/index.js';
import { requiredLiteral } from '../src/required-literal.js';

describe('requiredLiteral', () => {
  it.each([
    ['ORD-\\d+', 'ord'],
    ['(?i)\\b(?:order|case)[- ]?17\\d{1,6}\\b', '17'],
    ['(?i)refund policy', 'refund policy'],
    ['colou?r', 'colo'],
    ['a{0,3}bcd', 'bcd'],
    ['[abc]xyz(?:def)?', 'xyz'],
    ['[^]a]longer', 'longer'],
    ['(a|b(c))tail', 'tail'],
  ])('of %s is %s', (source, literal) => {
    expect(requiredLiteral(source)).toBe(literal);
  });

  it.each([
    'cat|dog',
    '(?:cat|dog)',
    '\\x41bc',
    '\\pLabc',
    '\\Qa|b\\E',
    '(?s)abc',
    'a*',
    '[abc]',
    '\\d+',
    'x?',
    'abc(?i)def',
  ])('of %s is not known', (source) => {
    expect(requiredLiteral(source)).toBeNull();
  });
});

const piece = fc.constantFrom(
  'a', 'b', 'ab', 'S', 'k', '1', ' ', '_', '.', '\\d', '\\b', '\\.', '\\s', '[ab]', '[^]a]', '[\\]]', '[a-c]', '(?:', '(', ')', '|', '?', '*', '+',
  '{2}', '{0,2}', '^', '$', '(?i)', 'é', '\\w', '??', '{', '}', '[', ']',
); // prettier-ignore
const texts = fc.array(
  fc.constantFrom('a', 'b', 'A', 'B', 's', 'S', 'ſ', 'k', 'K', '\u212a', '1', ' ', '_', '.', ']', '\n', 'é'),
  { maxLength: 12 },
);

describe('compilePattern', () => {
  it('finds with a required literal what it finds without, whatever pattern and text', () => {
    let compiledCount = 0;
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), texts, (parts, characters) => {
        const [source, text] = [parts.join(''), characters.join('')];
        let found;
        try {
          found = compilePattern(source).find(text);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidPattern);
          return;
        }
        compiledCount += 1;
        const matcher = RE2JS.compile(source).matcher(text);
        const all = [];
        while (matcher.find())
          if (matcher.end() > matcher.start()) all.push({ begin: matcher.start(), end: matcher.end() });
        expect(found).toEqual(all);
      }),
      { numRuns: 3_000 },
    );
    expect(compiledCount).toBeGreaterThan(300);
  });
});
