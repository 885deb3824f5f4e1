import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DependencyUnavailable, Refused } from '@anabranch/failures';
import fc from 'fast-check';
import { createRecentAnswers } from '../src/rules/recent-answers.js';
import { createRulesInForce, type RulesOptions } from '../src/rules/rules-in-force.js';
import type { RulesPort, RulesQuery } from '../src/rules/tenant-rules.js';
import { longestBlockMs } from '../src/testing/event-loop.js';
import {
  createMemoryRulesReader,
  type MemoryChange,
  type MemoryRulesReader,
} from '../src/testing/memory-rules-reader.js';

const cacheMs = 5_000;
let reader: MemoryRulesReader;
let skews: number[];

beforeEach(() => {
  reader = createMemoryRulesReader(1_000_000);
  skews = [];
});

const port = (kind: RulesOptions['kind'], given: Partial<RulesOptions> = {}): RulesPort =>
  createRulesInForce({ kind, reader, cacheMs, onClockSkew: (ahead) => skews.push(ahead), ...given });

const put = (change: Partial<MemoryChange>): void =>
  reader.put({
    tenantId: 'acme',
    kind: 'taxonomy',
    id: 'default',
    definition: { labels: [{ name: `label at ${change.effectiveFrom ?? 0}` }] },
    effectiveFrom: 0,
    ...change,
  });

const query = (at: number, given: Partial<RulesQuery> = {}): RulesQuery => ({
  tenantId: 'acme',
  metadata: {},
  at,
  ...given,
});

const versionAt = async (rules: RulesPort, at: number, given: Partial<RulesQuery> = {}): Promise<string | null> => {
  const { rules: found } = await rules.inForce(query(at, given));
  return found === null ? null : (found as { version: string }).version;
};

describe('the rules of a document', () => {
  it('are those in force at its time, however often and late it is asked', async () => {
    put({ effectiveFrom: 100_000 });
    put({ effectiveFrom: 200_000 });
    const rules = port('taxonomy');
    const times = [99_999, 100_000, 199_999, 200_000, 900_000, 100_000];
    const versions = await Promise.all(times.map((at) => versionAt(rules, at)));
    expect(versions).toEqual([null, '1', '1', '2', '2', '1']);
    expect(await Promise.all(times.map((at) => versionAt(port('taxonomy'), at)))).toEqual(versions);
  });

  it('have the defaults of their schema, their id and their version', async () => {
    put({ definition: { labels: [{ name: 'a' }] } });
    const { rules } = await port('taxonomy').inForce(query(1));
    expect(rules).toMatchObject({ id: 'default', version: '1', multiLabel: false, labels: [{ keywords: [] }] });
  });

  it('never hold the event loop for 50 ms while the largest are read', async () => {
    const aliases = ['x'.repeat(150)];
    const entries = Array.from({ length: 20_000 }, (_, index) => ({ name: `Name ${index}`, type: 'PRODUCT', aliases }));
    put({ kind: 'gazetteer', definition: { entries } });
    const blocks: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      blocks.push(
        await longestBlockMs(async () => expect((await port('gazetteer').inForce(query(1))).rules).not.toBeNull()),
      );
    }
    expect(Math.min(...blocks)).toBeLessThan(50);
  });

  it('are those that it names', async () => {
    put({ id: 'topics' });
    put({ kind: 'ruleset', id: 'strict', definition: { rules: [] } });
    expect(await versionAt(port('taxonomy'), 1, { metadata: { 'anabranch.taxonomy': 'topics' } })).toBe('1');
    expect(await versionAt(port('ruleset'), 1, { metadata: { 'anabranch.ruleset': 'strict' } })).toBe('1');
    expect(await versionAt(port('taxonomy'), 1, { metadata: { 'anabranch.ruleset': 'strict' } })).toBeNull();
  });

  it.each([
    ['taxonomy', 'UNKNOWN_TAXONOMY', '/v1/taxonomies/'],
    ['ruleset', 'UNKNOWN_RULESET', '/v1/rulesets/'],
  ] as const)('are refused when it names a %s that is not there, with the fix', async (kind, code, address) => {
    put({ kind, id: 'late', effectiveFrom: 100_000 });
    put({ kind, id: 'foreign', tenantId: 'other' });
    put({ kind, id: 'gone' });
    put({ kind, id: 'gone', definition: null, effectiveFrom: 50_000 });
    for (const id of ['none', 'late', 'foreign', 'gone']) {
      const asked = port(kind).inForce(query(99_999, { metadata: { [`anabranch.${kind}`]: id } }));
      const error: unknown = await asked.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Refused);
      expect(error).toMatchObject({ code, message: expect.stringContaining(`PUT ${address}`) });
    }
  });

  it('are the analysis’ own when the tenant has no default, or names it all the same', async () => {
    put({ id: 'other' });
    expect(await versionAt(port('taxonomy'), 1)).toBeNull();
    expect(await versionAt(port('taxonomy'), 1, { metadata: { 'anabranch.taxonomy': 'default' } })).toBeNull();
  });

  it('are the analysis’ own again after the default was withdrawn', async () => {
    put({});
    put({ definition: null, effectiveFrom: 100 });
    put({ effectiveFrom: 200 });
    const rules = port('taxonomy');
    expect([await versionAt(rules, 99), await versionAt(rules, 100), await versionAt(rules, 200)]).toEqual([
      '1',
      null,
      '3',
    ]);
  });

  it('are all gazetteers of the tenant, by id', async () => {
    const putNames = (id: string, given: Partial<MemoryChange> = {}) =>
      put({ kind: 'gazetteer', id, definition: { entries: [{ name: `name in ${id}`, type: 'T' }] }, ...given });
    putNames('b');
    putNames('a');
    putNames('late', { effectiveFrom: 100 });
    putNames('foreign', { tenantId: 'other' });
    const namesAt = async (at: number) => {
      const { rules } = await port('gazetteer').inForce(query(at));
      return rules && 'entries' in rules && rules.entries.map(({ name }) => name);
    };
    expect(await namesAt(1)).toEqual(['name in a', 'name in b']);
    expect(await namesAt(100)).toEqual(['name in a', 'name in b', 'name in late']);
    expect(await namesAt(-1)).toBeNull();
  });

  it('are the same object for the same versions, under the same key', async () => {
    put({ effectiveFrom: 100 });
    put({ effectiveFrom: 200 });
    const rules = port('taxonomy');
    const [one, again, other] = await Promise.all([100, 199, 200].map((at) => rules.inForce(query(at))));
    expect(again?.rules).toBe(one?.rules);
    expect(again?.key).toBe(one?.key);
    expect(other?.key).not.toBe(one?.key);
    expect(reader.asked.rules).toBe(2);
  });
});

describe('a list of versions', () => {
  it('answers for all times that it is complete for, without another look', async () => {
    const rules = port('taxonomy');
    for (const at of [0, 999_999, 1_000_000, 1_000_000 + cacheMs - 1]) await versionAt(rules, at);
    expect(reader.asked.versions).toBe(1);
    reader.now = 1_000_000 + cacheMs;
    await versionAt(rules, 1_000_000 + cacheMs);
    expect(reader.asked.versions).toBe(2);
    expect(skews).toEqual([]);
  });

  it('is read once for all documents that wait for it', async () => {
    const rules = port('taxonomy');
    await Promise.all(Array.from({ length: 50 }, () => versionAt(rules, 999_999)));
    reader.now += cacheMs;
    await Promise.all(Array.from({ length: 50 }, () => versionAt(rules, 1_000_000 + cacheMs)));
    expect(reader.asked.versions).toBe(2);
  });

  it('never hides a change from a document that it counts for, whoever looked when', async () => {
    const step = fc.record({
      kind: fc.constantFrom('put', 'document'),
      after: fc.nat({ max: 8_000 }),
      late: fc.nat({ max: 30_000 }),
    });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      reader = createMemoryRulesReader(1_000_000);
      const [one, other] = [port('taxonomy'), port('taxonomy')];
      for (const { kind, after, late } of steps) {
        reader.now += after;
        // The delay of changes is twice the life of a list; a document is handled now, or as much later as it likes.
        if (kind === 'put') put({ effectiveFrom: reader.now + 2 * cacheMs });
        else expect(await versionAt(one, reader.now - late)).toBe(await versionAt(port('taxonomy'), reader.now - late));
        if (late % 3 === 0) await versionAt(other, reader.now);
      }
      expect(await versionAt(one, reader.now)).toBe(await versionAt(other, reader.now));
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it('says when the broker’s clock is ahead of the database’s', async () => {
    const rules = port('taxonomy');
    await versionAt(rules, 1_000_000 + cacheMs + 700);
    expect(skews).toEqual([cacheMs + 700]);
  });

  it('answers on while Postgres is down, until it would have to look', async () => {
    put({});
    let isDown = false;
    const versions: MemoryRulesReader['versions'] = (scope) =>
      isDown ? Promise.reject(new DependencyUnavailable('postgres', 'down')) : reader.versions(scope);
    const rules = port('taxonomy', { reader: { versions, rules: (...key) => reader.rules(...key) } });
    await versionAt(rules, 999_999);
    isDown = true;
    expect(await versionAt(rules, 1_000_000)).toBe('1');
    await expect(versionAt(rules, 1_000_000 + cacheMs)).rejects.toMatchObject({ dependency: 'postgres' });
    isDown = false;
    reader.now += cacheMs;
    expect(await versionAt(rules, 1_000_000 + cacheMs)).toBe('1');
  });
});

describe('recent answers', () => {
  const answers = () => createRecentAnswers<string>(10, (answer) => answer.length);

  it('forget those that were used longest ago when they weigh too much', async () => {
    const recent = answers();
    for (const key of ['a', 'b', 'c']) recent.set(key, Promise.resolve(key.repeat(4)));
    await delay(0);
    expect(recent.get('a')).toBeUndefined();
    expect(await recent.get('b')).toBe('bbbb');
    recent.set('d', Promise.resolve('dddd'));
    await delay(0);
    expect(recent.get('c')).toBeUndefined();
    expect(await recent.get('b')).toBe('bbbb');
  });

  it('keep one that is too heavy, alone', async () => {
    const recent = answers();
    recent.set('light', Promise.resolve('x'));
    recent.set('heavy', Promise.resolve('x'.repeat(99)));
    await delay(0);
    expect(recent.get('light')).toBeUndefined();
    expect(await recent.get('heavy')).toHaveLength(99);
  });

  it('forget failures', async () => {
    const recent = answers();
    const failure = Promise.reject(new Error('down'));
    recent.set('a', failure);
    expect(recent.get('a')).toBe(failure);
    await expect(failure).rejects.toThrow('down');
    expect(recent.get('a')).toBeUndefined();
  });
});
