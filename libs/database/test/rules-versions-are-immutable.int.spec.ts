import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApiKey, findApiKey, hashApiKey } from '../src/access/index.js';
import type { Database } from '../src/index.js';
import {
  getRules,
  listRules,
  maxRulesBytes,
  maxRulesPerKind,
  putRules,
  readVersions,
  type RulesChange,
  RulesVersionMoved,
  TooManyRules,
  withdrawRules,
} from '../src/rules/index.js';
import { openTestDatabase, tenantId } from './fixtures.js';

let db: Database;
let close: () => Promise<void>;
let keyId: string;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
  keyId = await keyOf(tenantId);
});
afterAll(() => close());

async function keyOf(owner: string): Promise<string> {
  const { key } = await createApiKey(db, { tenantId: owner, name: 'editor' });
  return (await findApiKey(db, hashApiKey(key)))?.keyId ?? '';
}

const change = (id: string, given: Partial<RulesChange> = {}): RulesChange => {
  return { tenantId, kind: 'taxonomy', id, keyId, delayMs: 10_000, ...given };
};
const labels = (...names: string[]) => ({ labels: names.map((name) => ({ name })) });

test('a version says for ever what it said when it was stored, and who stored it', async () => {
  const key = change('topics');
  const first = await putRules(db, { ...key, definition: labels('a') });
  const second = await putRules(db, { ...key, definition: labels('b') });
  expect([first.version, second.version]).toEqual([1, 2]);
  expect([first.created, second.created]).toEqual([true, true]);
  expect(first.createdBy).toEqual({ keyId, name: 'editor' });
  expect((await getRules(db, key, 1))?.definition).toEqual(labels('a'));
  expect(await getRules(db, key)).toMatchObject({ version: 2, definition: labels('b') });
  expect(await getRules(db, key, 3)).toBeNull();
});

test('is in force after the delay, by the clock of the database', async () => {
  const { createdAt, effectiveFrom } = await putRules(db, { ...change('timely'), definition: labels('a') });
  expect(effectiveFrom.getTime() - createdAt.getTime()).toBe(10_000);
  const { readAt } = await readVersions(db, { tenantId, kind: 'taxonomy' });
  expect(readAt.getTime()).toBeGreaterThanOrEqual(createdAt.getTime());
  expect(readAt.getTime() - createdAt.getTime()).toBeLessThan(10_000);
});

test('is never in force before the version before it, also when the delay was longer then', async () => {
  const first = await putRules(db, { ...change('order', { delayMs: 60_000 }), definition: labels('a') });
  const second = await putRules(db, { ...change('order', { delayMs: 0 }), definition: labels('b') });
  expect(second.effectiveFrom).toEqual(first.effectiveFrom);
});

test('the same again is the version that there is', async () => {
  const key = change('same');
  const first = await putRules(db, { ...key, definition: labels('a') });
  expect(await putRules(db, { ...key, definition: labels('a') })).toEqual({ ...first, created: false });
  await putRules(db, { ...key, definition: labels('b') });
  expect(await putRules(db, { ...key, definition: labels('a') })).toMatchObject({ version: 3, created: true });
});

test('what is read back is what was written, in its order, whatever characters it has', async () => {
  const definition = { zebra: '\u0000 \ud83d 😀', a: { y: 1, b: [] } };
  await putRules(db, { ...change('verbatim'), definition });
  const stored = await getRules(db, change('verbatim'));
  expect(JSON.stringify(stored?.definition)).toBe(JSON.stringify(definition));
});

test('withdrawn rules keep their versions, and are in no list', async () => {
  const key = change('gone');
  expect(await withdrawRules(db, key)).toBeNull();
  await putRules(db, { ...key, definition: labels('a') });
  expect(await withdrawRules(db, key)).toMatchObject({ version: 2, isWithdrawn: true, created: true });
  expect(await withdrawRules(db, key)).toMatchObject({ version: 2, created: false });
  expect((await listRules(db, key)).map(({ id }) => id)).not.toContain('gone');
  expect((await getRules(db, key, 1))?.definition).toEqual(labels('a'));
  const { versions } = await readVersions(db, key);
  const flags = versions.filter(({ id }) => id === 'gone').map(({ version, isWithdrawn }) => [version, isWithdrawn]);
  expect(flags).toEqual([
    [1, false],
    [2, true],
  ]);
  expect(await putRules(db, { ...key, definition: labels('a') })).toMatchObject({ version: 3, created: true });
});

test('a writer who expects another version changes nothing', async () => {
  const key = change('fenced');
  const put = (expectedVersion: number | 'any', name: string) =>
    putRules(db, { ...key, expectedVersion, definition: labels(name) });
  await expect(put('any', 'a')).rejects.toThrow(RulesVersionMoved);
  expect(await put(0, 'a')).toMatchObject({ version: 1 });
  await expect(put(0, 'b')).rejects.toMatchObject({ current: 1 });
  expect(await put(1, 'b')).toMatchObject({ version: 2 });
  await expect(put(1, 'c')).rejects.toMatchObject({ current: 2 });
  await expect(withdrawRules(db, { ...key, expectedVersion: 1 })).rejects.toThrow(RulesVersionMoved);
  expect(await withdrawRules(db, { ...key, expectedVersion: 'any' })).toMatchObject({ version: 3 });
  await expect(put('any', 'd')).rejects.toMatchObject({ current: null });
  expect(await put(0, 'd')).toMatchObject({ version: 4 });
});

test('writers at the same time get versions without gaps, in the order of their times', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `label ${index}`);
  const key = change('raced');
  const stored = await Promise.all(names.map((name) => putRules(db, { ...key, definition: labels(name) })));
  expect(stored.map(({ version }) => version).sort((a, b) => a - b)).toEqual(names.map((_, index) => index + 1));
  const { versions } = await readVersions(db, key);
  const times = versions.filter(({ id }) => id === 'raced').map(({ effectiveFrom }) => effectiveFrom.getTime());
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test('a tenant has a bounded number of them, of which withdrawn ones are none', async () => {
  const owner = { tenantId: 'collector', keyId: await keyOf('collector'), kind: 'gazetteer' as const };
  const put = (number: number) => putRules(db, { ...change(`g${number}`, owner), definition: { entries: [] } });
  for (let number = 0; number < maxRulesPerKind; number += 1) await put(number);
  await expect(put(maxRulesPerKind)).rejects.toThrow(TooManyRules);
  expect(await put(0)).toMatchObject({ version: 1, created: false });
  await withdrawRules(db, change('g0', owner));
  expect(await put(maxRulesPerKind)).toMatchObject({ version: 1 });
  await expect(put(0)).rejects.toThrow(TooManyRules);
});

test('a tenant has a bounded size of them, of which former versions are no part', async () => {
  const owner = { tenantId: 'hoarder', keyId: await keyOf('hoarder'), kind: 'gazetteer' as const };
  const put = (id: string, length: number) =>
    putRules(db, { ...change(id, owner), definition: { text: 'x'.repeat(length) } });
  const half = maxRulesBytes.gazetteer / 2;
  await put('a', half);
  await expect(put('b', half)).rejects.toMatchObject({ limit: maxRulesBytes.gazetteer, unit: 'bytes' });
  expect(await put('a', half - 100)).toMatchObject({ version: 2 });
  expect(await put('b', half)).toMatchObject({ version: 1 });
  expect(await getRules(db, change('b', owner))).toMatchObject({ bytes: half + '{"text":""}'.length });
});
