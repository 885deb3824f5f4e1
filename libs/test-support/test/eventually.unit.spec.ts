import { describe, expect, test } from '@jest/globals';
import { eventually } from '../src/eventually.js';

describe('waiting for a condition', () => {
  test('asks until it holds, through failures, and gives back what was found', async () => {
    const answers = [() => undefined, () => false as const, () => Promise.reject(new Error('not yet')), () => 'found'];
    expect(await eventually<string>(() => answers.shift()?.(), { everyMs: 1 })).toBe('found');
  });

  test('gives up with the last reason', async () => {
    const waiting = eventually(() => Promise.reject(new Error('3 of 100')), { timeoutMs: 5, everyMs: 1 });
    await expect(waiting).rejects.toThrow('not within 5 ms: 3 of 100');
  });
});
