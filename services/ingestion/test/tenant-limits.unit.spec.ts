import { describe, expect, it } from '@jest/globals';
import { createPostRate } from '../src/documents/tenant-limits.js';

function world(perSecond: number) {
  let nowMs = 0;
  const reached: string[] = [];
  const take = createPostRate({ perSecond, onLimitReached: (limit) => reached.push(limit), now: () => nowMs });
  const isTaken = (tenantId = 'acme'): boolean => {
    try {
      take(tenantId);
      return true;
    } catch {
      return false;
    }
  };
  return { take, isTaken, reached, advance: (ms: number) => (nowMs += ms) };
}

describe('the rate of a tenant’s posts', () => {
  it('lets through what a second may have, and then one for each share of a second', () => {
    const { isTaken, advance, reached } = world(4);
    expect(Array.from({ length: 6 }, () => isTaken())).toEqual([true, true, true, true, false, false]);
    advance(250);
    expect([isTaken(), isTaken()]).toEqual([true, false]);
    advance(60_000);
    expect(Array.from({ length: 5 }, () => isTaken())).toEqual([true, true, true, true, false]);
    expect(reached).toHaveLength(4);
  });

  it('is each tenant’s own', () => {
    const { isTaken } = world(1);
    expect([isTaken(), isTaken(), isTaken('globex')]).toEqual([true, false, true]);
  });

  it('names the limit, and when to come again', () => {
    const { take, isTaken } = world(2);
    while (isTaken());
    expect(() => take('acme')).toThrow(
      expect.objectContaining({
        code: 'TENANT_LIMIT_REACHED',
        options: expect.objectContaining({
          headers: { 'retry-after': '1' },
          extensions: { limit: 'posts-per-second', max: 2 },
        }),
      }),
    );
  });

  it('is no limit when it is 0', () => {
    const { isTaken } = world(0);
    expect(Array.from({ length: 100 }, () => isTaken()).every(Boolean)).toBe(true);
  });
});
