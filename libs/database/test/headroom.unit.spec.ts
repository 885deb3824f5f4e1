import { expect, test } from '@jest/globals';
import { Headroom } from '../src/limits/headroom.js';

test('a refusal is certain when a count has left nothing, and only then', () => {
  const room = new Headroom(1_000, () => 0);
  room.counted('a', 2, room.beginCount('a'));
  expect([room.take('a'), room.take('a'), room.take('a')]).toEqual([true, true, false]);
  // Those who took may roll back.
  expect(room.isExact('a')).toBe(false);

  // A count that may have seen them, or not.
  room.counted('a', 1, room.beginCount('a'));
  expect(room.take('a')).toBe(false);
  expect(room.isExact('a')).toBe(false);

  room.finish('a');
  room.finish('a');
  room.counted('a', 1, room.beginCount('a'));
  expect(room.isExact('a')).toBe(true);
  expect(room.take('a')).toBe(true);
  room.finish('a');
  room.counted('a', 0, room.beginCount('a'));
  expect(room.take('a')).toBe(false);
  expect(room.isExact('a')).toBe(true);
});
