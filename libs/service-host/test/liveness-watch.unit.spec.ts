import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { HealthFault } from '../src/health.js';
import { watchLiveness } from '../src/liveness-watch.js';

describe('a process whose check of progress fails', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('ends, once, and says what stands still', () => {
    const faults: HealthFault[] = [];
    const told: string[] = [];
    watchLiveness(
      () => faults,
      ({ message }) => told.push(message),
    );
    jest.advanceTimersByTime(60_000);
    expect(told).toEqual([]);
    faults.push({ service: 'summary', check: 'progress', reason: 'a handler runs for 901 s' });
    jest.advanceTimersByTime(60_000);
    expect(told).toEqual(['No progress, so only a restart helps: summary (progress): a handler runs for 901 s.']);
  });
});
