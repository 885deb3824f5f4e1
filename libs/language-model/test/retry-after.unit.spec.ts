import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from '../src/retry-after.js';

const now = Date.UTC(2026, 0, 1, 12, 0, 0);

describe('how long a server asks to be left alone', () => {
  it.each([
    ['seconds', { 'retry-after': '90' }, 90_000],
    ['a day', { 'retry-after': '86400' }, 86_400_000],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 12:01:30 GMT' }, 90_000],
    ['a date that has passed', { 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
    ['milliseconds, which are more exact', { 'retry-after': '9', 'retry-after-ms': '250' }, 250],
    ['seconds beside milliseconds that are none', { 'retry-after': '9', 'retry-after-ms': 'soon' }, 9_000],
  ])('is read in full: %s', (_name, headers, expected) => {
    expect(retryAfterMs(new Headers(headers), now)).toBe(expected);
  });

  it.each([{}, { 'retry-after': 'soon' }, { 'retry-after': '-1' }, { 'retry-after': '1e9' }, { 'retry-after': 'Thu' }])(
    'is unknown when it is not said: %j',
    (headers) => {
      expect(retryAfterMs(new Headers(headers as Record<string, string>), now)).toBeNull();
    },
  );
});
