import { describe, expect, it } from '@jest/globals';
import type { DocumentRequest } from '../src/documents/document-request.js';
import { createRunningKeys, idempotencyOf } from '../src/documents/idempotency.js';

const request = (change: Partial<DocumentRequest> = {}): DocumentRequest => ({
  text: 'Hello',
  mediaType: 'text/plain',
  charset: 'utf-8',
  analyses: ['summary', 'sentiment'],
  metadata: { a: '1', b: '2' },
  deadlineMs: 0,
  priority: 'NORMAL',
  sensitivity: 'INTERNAL',
  stream: false,
  ...change,
});

const hashOf = (change: Partial<DocumentRequest>) => idempotencyOf('k', request(change))?.requestSha256;

describe('an idempotency key', () => {
  it.each([
    ['bare', 'abc-1', 'abc-1'],
    ['in quotation marks', '"abc-1"', 'abc-1'],
    ['with a space', '"abc 1"', 'abc 1'],
    ['with escapes', String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    ['of the longest length', 'k'.repeat(255), 'k'.repeat(255)],
  ])('is read %s', (_, header, key) => {
    expect(idempotencyOf(header, request())?.key).toBe(key);
  });

  it('is none without a header', () => {
    expect(idempotencyOf(undefined, request())).toBeNull();
  });

  it('stands for the request, however it was written', () => {
    expect(hashOf({ metadata: { b: '2', a: '1' } })).toBe(hashOf({}));
    expect(hashOf({ analyses: ['sentiment', 'summary', 'summary'] })).toBe(hashOf({}));
  });

  it.each<[string, Partial<DocumentRequest>]>([
    ['text', { text: 'Hello!' }],
    ['document', { documentId: 'd' }],
    ['analyses', { analyses: ['summary'] }],
    ['labels', { metadata: { a: '1' } }],
    ['deadline', { deadlineMs: 5 }],
    ['priority', { priority: 'HIGH' }],
    ['sensitivity', { sensitivity: 'PUBLIC' }],
    ['media type', { mediaType: 'text/html' }],
    ['source', { sourceEventId: 's' }],
    ['stream', { stream: true }],
  ])('stands for another request with another %s', (_, change) => {
    expect(hashOf(change)).not.toBe(hashOf({}));
  });
});

describe('a key that is at work', () => {
  const idempotency = { key: 'k', requestSha256: '' };

  it('refuses the second request, and is free when the first has ended, however it did', async () => {
    const keys = createRunningKeys(() => Promise.resolve(false));
    const { promise, reject } = Promise.withResolvers<never>();
    const first = keys.during({ tenantId: 'acme', idempotency }, () => promise).catch(() => 'failed');
    const second = keys.during({ tenantId: 'acme', idempotency }, () => Promise.resolve('second'));
    await expect(second).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' });
    reject(new Error('failed'));
    expect(await first).toBe('failed');
    expect(await keys.during({ tenantId: 'acme', idempotency }, () => Promise.resolve('third'))).toBe('third');
  });

  it('refuses nobody when its first request was answered: this one repeats it as well', async () => {
    const asked: object[] = [];
    const keys = createRunningKeys((key) => Promise.resolve(asked.push(key) > 0));
    void keys.during({ tenantId: 'acme', idempotency }, () => new Promise<never>(() => undefined));
    const repeat = () => keys.during({ tenantId: 'acme', idempotency }, () => Promise.resolve('repeated'));
    expect(await Promise.all([repeat(), repeat()])).toEqual(['repeated', 'repeated']);
    expect(asked).toEqual(Array(2).fill({ tenantId: 'acme', key: 'k' }));
  });

  it('is no matter of other tenants, nor of requests without one', async () => {
    const keys = createRunningKeys(() => Promise.resolve(false));
    const never = new Promise<never>(() => undefined);
    void keys.during({ tenantId: 'acme', idempotency }, () => never);
    void keys.during({ tenantId: 'acme', idempotency: null }, () => never);
    const done = () => Promise.resolve('done');
    expect(await keys.during({ tenantId: 'globex', idempotency }, done)).toBe('done');
    expect(await keys.during({ tenantId: 'acme', idempotency: null }, done)).toBe('done');
  });
});
