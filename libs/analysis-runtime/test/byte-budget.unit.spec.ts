import { describe, expect, it } from '@jest/globals';
import { ByteBudget } from '../src/byte-budget.js';

const never = new AbortController().signal;

const opened = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, resolve };
};

describe('the byte budget', () => {
  it('holds no more at a time than it allows, and serves in the order of asking', async () => {
    const budget = new ByteBudget(10);
    const began: string[] = [];
    const gate = opened();
    const hold = (name: string, bytes: number) =>
      budget.hold(bytes, never, () => {
        began.push(name);
        return gate.promise;
      });
    const all = [hold('six', 6), hold('four', 4), hold('one', 1), hold('nine', 9)];
    await Promise.resolve();
    expect(began).toEqual(['six', 'four']);
    gate.resolve();
    await Promise.all(all);
    expect(began).toEqual(['six', 'four', 'one', 'nine']);
  });

  it('lets what is larger than all of it go alone, and nothing stays behind it', async () => {
    const budget = new ByteBudget(10);
    const gate = opened();
    const large = budget.hold(1_000, never, () => gate.promise);
    let hasBegun = false;
    const small = budget.hold(1, never, () => {
      hasBegun = true;
      return Promise.resolve();
    });
    await Promise.resolve();
    expect(hasBegun).toBe(false);
    gate.resolve();
    await Promise.all([large, small]);
    expect(hasBegun).toBe(true);
  });

  it('gives the room back when the work fails, and forgets a wait that was aborted', async () => {
    const budget = new ByteBudget(1);
    const gate = opened();
    const abort = new AbortController();
    const running = budget.hold(1, never, async () => {
      await gate.promise;
      throw new Error('failed');
    });
    const given = budget.hold(1, abort.signal, () => Promise.resolve('ran'));
    const next = budget.hold(1, never, () => Promise.resolve('next'));
    abort.abort(new Error('lost'));
    await expect(given).rejects.toThrow('lost');
    gate.resolve();
    await expect(running).rejects.toThrow('failed');
    expect(await next).toBe('next');
  });
});
