import { PoisonMessage } from '@anabranch/failures';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createBatcher } from '../src/batcher.js';
import { bisect } from '../src/bisect.js';

describe('a batcher', () => {
  test('makes a batch of what waits while the previous one is under way', async () => {
    const batches: number[][] = [];
    const { promise: firstDone, resolve: finishFirst } = Promise.withResolvers<void>();
    const batcher = createBatcher<number, number>({
      lanes: 1,
      maxItems: 3,
      keyOf: () => '',
      run: async (items) => {
        batches.push([...items]);
        if (batches.length === 1) await firstDone;
        return items.map((item) => item * 2);
      },
    });
    const first = batcher.add(1);
    await new Promise((resolve) => setImmediate(resolve));
    const others = [2, 3, 4, 5].map((item) => batcher.add(item));
    finishFirst();
    expect(await Promise.all([first, ...others])).toEqual([2, 4, 6, 8, 10]);
    expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  });

  test('answers each item for itself, and all of a batch that failed', async () => {
    let fails = false;
    const batcher = createBatcher<number, number>({
      lanes: 2,
      maxItems: 10,
      keyOf: () => 'same lane',
      run: (items) =>
        fails
          ? Promise.reject(new Error('down'))
          : Promise.resolve(items.map((item) => (item < 0 ? new Error('negative') : item))),
    });
    const answers = await Promise.allSettled([1, -1, 2].map((item) => batcher.add(item)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    fails = true;
    await expect(Promise.all([batcher.add(1), batcher.add(2)])).rejects.toThrow('down');
    fails = false;
    expect(await batcher.add(7)).toBe(7);
  });

  test('keeps the items of a key in order, whatever the lanes do', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 }),
        async (scheduler, keys) => {
          const done = new Map<string, number[]>();
          const batcher = createBatcher<{ key: string; at: number }, null>({
            lanes: 2,
            maxItems: 4,
            keyOf: ({ key }) => key,
            run: async (items) => {
              await scheduler.schedule(Promise.resolve(), 'batch');
              for (const { key, at } of items) done.set(key, [...(done.get(key) ?? []), at]);
              return items.map(() => null);
            },
          });
          const added = Promise.all(keys.map((key, at) => batcher.add({ key, at })));
          await scheduler.waitFor(added);
          for (const order of done.values()) expect(order).toEqual(order.toSorted((one, other) => one - other));
        },
      ),
    );
  });
});

describe('bisecting', () => {
  const invalid = Object.assign(new Error('invalid'), { severity: 'ERROR', code: '22P05' });

  test('finds the poison items among any number of good ones', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), async (isPoison) => {
        const results = await bisect(isPoison, (part) =>
          part.includes(true) ? Promise.reject(invalid) : Promise.resolve(part.map(() => 'good')),
        );
        expect(results.map((result) => result instanceof PoisonMessage)).toEqual(isPoison);
      }),
    );
  });

  test('does not tell what Postgres quotes of the value', async () => {
    const [result] = await bisect([1], () => Promise.reject(Object.assign(invalid, { message: 'invalid: secret' })));
    expect(result).toMatchObject({ code: 'INVALID_EVENT', message: expect.not.stringContaining('secret') });
  });

  test('does not call a row that is there already invalid data: it fails its own item only, as the bug that it is', async () => {
    const duplicate = Object.assign(new Error('duplicate key'), { severity: 'ERROR', code: '23505' });
    const results = await bisect([false, true, false], (part) =>
      part.includes(true) ? Promise.reject(duplicate) : Promise.resolve(part.map(() => 'good')),
    );
    expect(results).toEqual(['good', duplicate, 'good']);
    expect(results[1]).not.toBeInstanceOf(PoisonMessage);
  });

  test('leaves what one half has committed, whatever fails in the other', async () => {
    const down = new Error('down');
    const committed: number[] = [];
    const results = await bisect([1, 2, 3, 4], (part) => {
      if (part.length === 4) return Promise.reject(invalid);
      if (part.includes(3)) return Promise.reject(down);
      committed.push(...part);
      return Promise.resolve(part.map(() => 'good'));
    });
    expect(results).toEqual(['good', 'good', down, down]);
    expect(committed).toEqual([1, 2]);
  });

  test('throws every other failure, of the whole batch', async () => {
    await expect(bisect([1, 2], () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
  });
});
