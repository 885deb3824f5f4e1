import { describe, expect, it } from '@jest/globals';
import type { Access } from '@anabranch/database/access';
import { createApiKeys } from '../src/access/api-keys.js';
import { createKnownAnalyses } from '../src/documents/known-analyses.js';
import { createRouteTable } from '../src/http/routes.js';

const access: Access = { keyId: 'k', tenantId: 'acme', name: 'test', scopes: [] };

function keysWith(answers: (Access | null | Error)[], options = {}) {
  const asked: string[] = [];
  const clock = { ms: 0 };
  const find = (hash: string) => {
    asked.push(hash);
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? null;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return { asked, clock, keys: createApiKeys({ find, ttlMs: 1_000, now: () => clock.ms, ...options }) };
}

describe('an API key', () => {
  it('is looked up by its hash, once for all requests of a while', async () => {
    const { keys, asked, clock } = keysWith([access]);
    await Promise.all([keys('key'), keys('key')]);
    clock.ms = 999;
    expect(await keys('key')).toEqual(access);
    expect(asked).toEqual(['2c70e12b7a0646f92279f427c7b38e7334d8e5389cff167a1dc30e73f826b683']);
  });

  it('that was revoked stops to work when the while is over', async () => {
    const { keys, clock } = keysWith([access, null]);
    expect(await keys('key')).toEqual(access);
    clock.ms = 1_000;
    expect(await keys('key')).toBeNull();
  });

  it('that is unknown is remembered, too', async () => {
    const { keys, asked } = keysWith([null]);
    expect(await keys('key')).toBeNull();
    expect(await keys('key')).toBeNull();
    expect(asked).toHaveLength(1);
  });

  it('is asked for again after a failure: that was no answer', async () => {
    const { keys } = keysWith([new Error('down'), access]);
    await expect(keys('key')).rejects.toThrow('down');
    expect(await keys('key')).toEqual(access);
  });

  it('is forgotten when too many others came, so that strangers cannot fill the memory', async () => {
    const { keys, asked } = keysWith([access], { maxEntries: 2 });
    for (const key of ['a', 'b', 'c', 'a']) await keys(key);
    expect(asked).toHaveLength(4);
  });
});

describe('the known analyses', () => {
  it('are listed again after a while, and after a failure', async () => {
    const clock = { ms: 0 };
    const answers = [Promise.reject(new Error('down')), Promise.resolve(['a']), Promise.resolve(['a', 'b'])];
    answers[0]?.catch(() => undefined);
    const list = () => answers.shift() ?? Promise.resolve([]);
    const known = createKnownAnalyses({ list, ttlMs: 10, now: () => clock.ms });
    await expect(known()).rejects.toThrow('down');
    expect(await known()).toEqual(['a']);
    expect(await known()).toEqual(['a']);
    clock.ms = 10;
    expect(await known()).toEqual(['a', 'b']);
  });
});

describe('the route table', () => {
  const routes = createRouteTable();
  routes.add('GET', '/v1/jobs');
  routes.add(['GET', 'HEAD'], '/v1/jobs/:id');
  routes.add('POST', '/v1/jobs/:id/cancel');

  it.each([
    ['/v1/jobs', ['GET']],
    ['/v1/jobs/7', ['GET', 'HEAD']],
    ['/v1/jobs/7/cancel', ['POST']],
    ['/v1/jobs/', []],
    ['/v1/jobs/7/other', []],
    ['/', []],
  ])('knows the methods of %s', (path, methods) => {
    expect(routes.methodsOf(path)).toEqual(methods);
  });
});
