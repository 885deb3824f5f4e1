import { describe, expect, it } from '@jest/globals';
import { startOf } from '../src/kafkajs/expired-offsets.js';
import { CollectedLog } from './harness/collected-log.js';

describe('a group’s start in a partition', () => {
  const found = { topic: 'topic', partition: 3, wanted: 5, committed: 5, metadata: '', low: 0, high: 10 };
  const start = (change: Partial<typeof found> | { wanted: undefined }, policy: 'stop' | 'continue' = 'stop') => {
    const log = new CollectedLog();
    return { offset: startOf({ ...found, ...change }, 'group', { policy, log }), errors: log.at('error') };
  };

  it.each([
    ['where it had come to', {}, 5],
    ['at the end when all is handled', { wanted: 10 }, 10],
    ['at the oldest record when that is the next one', { low: 5 }, 5],
    ['at the oldest record when it has committed nothing', { wanted: undefined, low: 4 }, 4],
  ])('is %s', (_, change, offset) => {
    expect(start(change)).toEqual({ offset, errors: [] });
  });

  it('is nowhere when records were removed before they were handled: it says how many, and what to do', () => {
    expect(() => start({ low: 8 })).toThrow(/group.*offset 5 of topic\/3.*begins at 8: 3 offsets.*whenExpired/);
  });

  it('is with what is left when that was asked for, and an error says what was lost', () => {
    expect(start({ low: 8 }, 'continue')).toEqual({ offset: 8, errors: [expect.stringContaining('removed')] });
  });

  it('is nowhere when the log ends before it, whatever was asked for', () => {
    expect(() => start({ high: 4 }, 'continue')).toThrow(/offset 5 of topic\/3.*ends at 4/);
  });
});
