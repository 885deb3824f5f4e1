import { afterAll, describe, expect, it } from '@jest/globals';
import { longTextLength } from '../src/document-analyser.js';
import { createHarness, createMemoryRulesReader, createTestWorker, ingestedRecord } from '../src/testing/index.js';
import { rulesToSend } from '../src/worker/rules-once.js';
import { ruled } from './fixtures/ruled.analysis.js';

const worker = createTestWorker({ maxHeapMb: 48 });
afterAll(() => worker.stop());

const stored = { key: 'tenant-1/result', sha256: 'a'.repeat(64), bytes: 1 };
const store = { get: () => Promise.reject(new Error('nothing is stored')), put: () => Promise.resolve(stored) };

const reader = createMemoryRulesReader(10_000);
const put = (tenantId: string, effectiveFrom: number): void =>
  reader.put({ tenantId, kind: 'taxonomy', id: 'default', definition: { labels: [{ name: 'a' }] }, effectiveFrom });

describe('rules', () => {
  it.each([
    ['of a short document, on the main thread', 'x'],
    ['of a long document, in a thread of its own', 'x'.repeat(longTextLength + 1)],
  ])(
    '%s, are those in force at its time, and the same object for the same version',
    async (_name, text) => {
      const tenant = `tenant-${text.length}`;
      put(tenant, 1_000);
      put(tenant, 2_000);
      const subject = createHarness(ruled, { store, worker, rulesReader: reader });
      const told = async (tenantId: string, timestamp: number): Promise<string> => {
        const before = subject.published.length;
        await subject.handle(ingestedRecord({ text, tenantId }, { timestamp }));
        const result = subject.published[before]?.event.outcome.result as { text: string } | undefined;
        return result?.text ?? 'nothing';
      };
      expect(await told(tenant, 999)).toBe('own');
      expect(await told(tenant, 1_000)).toBe('1');
      expect(await told(tenant, 1_999)).toBe('1 again');
      expect(await told(tenant, 2_000)).toBe('2');
      expect(await told('nobody', 2_000)).toBe('own');
      expect(await told(tenant, 2_000)).toBe('2');
      expect(await told(tenant, 9_000)).toBe('2 again');
    },
    30_000,
  );

  it('that the document names and its tenant does not have are refused, with the code and the fix', async () => {
    const subject = createHarness(ruled, { store, worker, rulesReader: reader });
    const { outcome } = await subject.outcomeOf({ text: 'x', metadata: { 'anabranch.taxonomy': 'none' } });
    expect(outcome).toMatchObject({ status: 'REFUSED', refusal: { code: 'UNKNOWN_TAXONOMY' } });
    expect(outcome.refusal?.message).toContain('PUT /v1/taxonomies/');
    expect(JSON.stringify(outcome)).not.toContain('none');
  });

  it('go to a thread once, until others go there', () => {
    const [thread, another] = [{}, {}];
    const [one, other] = ['one', 'other'].map((key) => ({ key, rules: { entries: [] } }));
    if (one === undefined || other === undefined) throw new Error('two rules');
    expect(rulesToSend(thread, one)).toBe(one);
    expect(rulesToSend(thread, one)).toEqual({ key: 'one' });
    expect(rulesToSend(thread, null)).toBeNull();
    expect(rulesToSend(thread, one)).toEqual({ key: 'one' });
    expect(rulesToSend(another, one)).toBe(one);
    expect(rulesToSend(thread, other)).toBe(other);
    expect(rulesToSend(thread, one)).toBe(one);
  });
});
