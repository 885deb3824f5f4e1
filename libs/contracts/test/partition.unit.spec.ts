import { describe, expect, it } from '@jest/globals';
import { partitionOf } from '../src/index.js';
import { murmur2 } from '../src/partition.js';

describe('a document’s records go where the Java client would send them', () => {
  // From Kafka's own UtilsTest.testMurmur2.
  it.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('murmur2 of %s is %d', (key, hash) => {
    expect(murmur2(Buffer.from(key))).toBe(hash);
  });

  it('a string counts as its UTF-8 bytes', () => {
    expect(partitionOf('文書-7', 64)).toBe(partitionOf(Buffer.from('文書-7', 'utf8'), 64));
  });

  it('an empty key and a binary one have a partition, too', () => {
    expect(partitionOf('', 8)).toBeLessThan(8);
    expect(partitionOf(Buffer.from([255, 254, 0, 1, 128]), 8)).toBeGreaterThanOrEqual(0);
  });
});
