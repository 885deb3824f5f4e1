import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createOpenAiCompatibleModel } from '@anabranch/language-model';
import { type BehaviourInput, type FakeServer, startFakeServer } from '@anabranch/language-model/testing';
import { createHarness, createMemoryModelCalls, ingestedRecord } from '../src/testing/index.js';
import { askingWith, promptOf } from './fixtures/asking.analysis.js';

const store = { get: () => Promise.reject(new Error('nothing is stored')), put: () => Promise.reject(new Error('no')) };
let server: FakeServer;
beforeAll(async () => {
  server = await startFakeServer();
});
afterAll(() => server.close());

const subject = () => {
  const log = { error: () => undefined };
  const model = createOpenAiCompatibleModel({ baseUrl: server.baseUrl, apiKey: 'key', timeoutMs: 10_000, log });
  return createHarness(askingWith(promptOf('1')), { store, model: { calls: createMemoryModelCalls(model) } });
};
const callsSince = (before: number): number => server.counts().calls - before;

it.each([
  ['answer', { kind: 'answer' }, 'DONE', undefined, 1],
  ['fenced JSON', { kind: 'fenced' }, 'DONE', undefined, 1],
  ['a reply that was cut, then one that fits', { kind: 'length' }, 'DONE', undefined, 2],
  ['a reply without what was asked for, then one with it', { kind: 'schema-violation' }, 'DONE', undefined, 2],
  ['an empty reply, then one that is not', { kind: 'empty' }, 'DONE', undefined, 2],
  ['a refusal', { kind: 'refusal' }, 'REFUSED', 'MODEL_REFUSED', 1],
  ['a content filter', { kind: 'content-filter' }, 'REFUSED', 'CONTENT_FILTERED', 1],
] as const)('%s from a server becomes the outcome', async (_name, behaviour, status, code, calls) => {
  server.follow({ next: [behaviour as BehaviourInput] });
  const before = server.counts().calls;
  const { outcome, usage } = await subject().outcomeOf({ text: 'Geneva met.' });
  expect(outcome).toMatchObject({ status, ...(code === undefined ? {} : { refusal: { code } }) });
  expect(usage).toMatchObject({ attempts: calls });
  expect(callsSince(before)).toBe(calls);
});

it('a server that fails once is asked again with the same key, and equal documents are one call', async () => {
  server.follow({ next: [{ kind: 'error', status: 500 }] });
  const { handle, published } = subject();
  const record = (documentId: string) => ingestedRecord({ text: 'Geneva met again.', documentId });
  const before = server.calls().length;
  await expect(handle(record('one'))).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  await Promise.all([handle(record('one')), handle(record('two')), handle(record('three'))]);
  const keys = server
    .calls()
    .slice(before)
    .map(({ idempotencyKey }) => idempotencyKey);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
  expect(published).toHaveLength(3);
});
