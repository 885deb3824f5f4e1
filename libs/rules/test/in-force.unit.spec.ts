import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inForceAt, rulesConfig, rulesTiming } from '../src/index.js';

const beginning = (...times: number[]) =>
  times.map((time, index) => ({ version: index + 1, effectiveFrom: new Date(time) }));

describe('the version in force', () => {
  it.each([
    ['before the first', 99, null],
    ['at the first', 100, 1],
    ['between two', 199, 1],
    ['at the second', 200, 2],
    ['long after', 10_000, 3],
  ])('is, %s, the one that began last', (_, time, version) => {
    expect(inForceAt(beginning(100, 200, 300), time)?.version ?? null).toBe(version);
  });

  it('is the later one of two that begin together', () => {
    expect(inForceAt(beginning(100, 100), 100)?.version).toBe(2);
  });

  it('is the same for a time whatever was added for later, and in whatever order they are known', () => {
    const history = fc
      .array(fc.nat({ max: 1_000 }), { maxLength: 20 })
      .map((times) => beginning(...times.toSorted((one, other) => one - other)));
    const property = fc.property(history, fc.nat({ max: 1_000 }), fc.nat({ max: 20 }), (versions, time, later) => {
      const answer = inForceAt(versions, time);
      const next = { version: versions.length + 1, effectiveFrom: new Date(time + 1 + later) };
      expect(inForceAt([next, ...versions.toReversed()], time)).toEqual(answer);
    });
    fc.assert(property);
  });
});

describe('the settings', () => {
  it('leave room between a change and the time when it counts', () => {
    const defaults = rulesConfig.parse({});
    expect(defaults).toEqual({ rulesDelayMs: 10_000, rulesCacheMs: 5_000 });
    expect(rulesTiming.isMet(defaults)).toBe(true);
    expect(rulesTiming.isMet({ rulesDelayMs: 9_999, rulesCacheMs: 5_000 })).toBe(false);
    expect(rulesTiming.isMet({ rulesDelayMs: 200, rulesCacheMs: 100 })).toBe(true);
  });
});
