import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, outcomeDigest, resultDigest } from '../src/index.js';
import { outcomeOf } from './builders.js';

describe('canonical JSON', () => {
  test('writes the example of RFC 8785 §3.2.2 as the RFC does', () => {
    const value = {
      numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  test('sorts keys by UTF-16 code unit, as the example of RFC 8785 §3.2.3 does', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const written = canonicalJson(Object.fromEntries(keys.map((name) => [name, 0])));
    expect(Object.keys(JSON.parse(written) as object)).toEqual([
      '1',
      '\r',
      '\u0080',
      '\u00f6',
      '\u20ac',
      '\ud83d\ude00',
      '\ufb33',
    ]);
    expect(written.indexOf('"\\r"')).toBeLessThan(written.indexOf('"1"'));
  });

  test.each([
    [-0, '0'],
    [1e21, '1e+21'],
    [5e-324, '5e-324'],
    [9007199254740993, '9007199254740992'],
  ])('writes the number %p as ECMAScript does', (value, expected) => expect(canonicalJson(value)).toBe(expected));

  test('sorts any number of names as sort() does', () => {
    const names = fc.uniqueArray(fc.string({ unit: 'binary-ascii' }), { maxLength: 80 });
    fc.assert(
      fc.property(names, (keys) => {
        const sorted = keys.toSorted().map((name) => `${JSON.stringify(name)}:0`);
        expect(canonicalJson(Object.fromEntries(keys.map((name) => [name, 0])))).toBe(`{${sorted.join(',')}}`);
      }),
    );
  });

  test.each([[NaN], [Infinity], [1n], [() => 0], ['\ud800'], [{ a: undefined, b: Symbol('b') }]])(
    'refuses %p, for which JSON has no form',
    (value) => expect(() => canonicalJson(value)).toThrow(TypeError),
  );

  test('leaves out what is undefined', () => {
    expect(canonicalJson({ a: undefined, b: [undefined, 1] })).toBe('{"b":[null,1]}');
  });

  test('is JSON of the same value, whatever the order of its keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const written = canonicalJson(value);
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(written))).toBe(written);
      }),
    );
  });
});

describe('the digest of a result', () => {
  const content = {
    status: 'done' as const,
    code: null,
    resultSchema: 's/v1',
    promptVersion: null,
    result: { a: 1, b: 2 },
    resultSha256: null,
  };

  test('is the same for the same content, whatever the order of its keys', () => {
    expect(outcomeDigest(content)).toBe(outcomeDigest({ ...content, result: { b: 2, a: 1 } }));
  });

  test('is of what an analysis said, nulls included, so it does not depend on how results are shown', () => {
    const result = { label: null, labels: [{ name: 'a', score: null, evidence: [] }], threshold: 0.5 };
    // What was once settled must never have another digest.
    const settled = 'sha256:09c266cc69fccb8f3292c01d85515e72be42667028517f2f13dcea6783cbd0b5';
    expect(outcomeDigest({ ...content, result })).toBe(settled);
    expect(outcomeDigest({ ...content, result: { labels: result.labels, threshold: 0.5, label: null } })).toBe(settled);
  });

  test.each([
    ['result', { result: { a: 1, b: 3 } }],
    ['schema version', { resultSchema: 's/v2' }],
    ['prompt version', { promptVersion: '2' }],
    ['status', { status: 'refused' as const }],
    ['stored bytes', { resultSha256: 'ab' }],
  ])('changes with the %s', (_, change) => {
    expect(outcomeDigest({ ...content, ...change })).not.toBe(outcomeDigest(content));
  });

  test('changes with the revision, and not with the order of the outcomes', () => {
    const outcomes = [outcomeOf('a'), outcomeOf('b')];
    expect(resultDigest(1, outcomes)).toBe(resultDigest(1, outcomes.toReversed()));
    expect(resultDigest(2, outcomes)).not.toBe(resultDigest(1, outcomes));
  });
});
