import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeStretches, encodeStretches, type Stretch } from '../src/consumer/finished-stretches.js';
import { OffsetWindow } from '../src/consumer/offset-window.js';

const pairs = fc.array(fc.tuple(fc.nat(100_000), fc.integer({ min: 1, max: 1_000_000 })), { maxLength: 200 });

function stretchesOf(offset: number, distances: readonly (readonly [number, number])[]): Stretch[] {
  let position = offset;
  return distances.map(([gap, length]) => {
    const begin = position + gap;
    position = begin + length;
    return { begin, end: position };
  });
}

describe('the finished stretches in a commit’s metadata', () => {
  it('come back as they went in, from the offset that they were committed with', () => {
    fc.assert(
      fc.property(
        fc.maxSafeNat().map((n) => Math.floor(n / 8)),
        pairs,
        (offset, distances) => {
          const stretches = stretchesOf(offset, distances);
          const { text, dropped } = encodeStretches(offset, stretches);
          expect(dropped).toBe(0);
          expect(decodeStretches(offset, text)).toEqual(stretches);
        },
      ),
    );
  });

  it('are ASCII, and fit into what a broker takes; the lowest are kept, and what does not fit is counted', () => {
    const stretches = stretchesOf(
      1_000,
      Array.from({ length: 3_000 }, () => [1, 1] as const),
    );
    const { text, dropped } = encodeStretches(1_000, stretches);
    expect(text).toMatch(/^[ -~]*$/);
    expect(text.length).toBeLessThanOrEqual(4_000);
    const carried = decodeStretches(1_000, text);
    expect(carried).toEqual(stretches.slice(0, carried.length));
    expect(carried.length + dropped).toBe(3_000);
    expect(carried.length).toBeGreaterThan(1_900);
  });

  it.each([undefined, null, '', 'somebody else’s', 'ab1:AA%', 'ab1:ABC', 'ab1:Ag', `ab1:${'/'.repeat(40)}A`])(
    'say nothing when they are not ours or damaged: %s',
    (metadata) => {
      expect(decodeStretches(5, metadata)).toEqual([]);
    },
  );

  it('lead a window to exactly the records that are not finished, however often they change hands', () => {
    const finishing = fc.array(fc.array(fc.nat(59), { maxLength: 30 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(finishing, (owners) => {
        const finished = new Set<number>();
        let committed = 0;
        let metadata = '';
        for (const [turn, offsets] of owners.entries()) {
          const window = new OffsetWindow();
          window.restore(committed, decodeStretches(committed, metadata));
          // A later owner may be stopped before it has fetched everything that an earlier one had.
          const fetched = turn % 2 === 0 ? 60 : 30;
          const taken = Array.from({ length: fetched }, (_, offset) => offset).filter((offset) => window.take(offset));
          expect(taken).toEqual(
            Array.from({ length: fetched }, (_, offset) => offset).filter((offset) => !finished.has(offset)),
          );
          for (const offset of offsets.filter((candidate) => taken.includes(candidate))) {
            window.finish(offset);
            finished.add(offset);
          }
          committed = window.watermark ?? 0;
          metadata = encodeStretches(committed, window.finishedStretches()).text;
        }
      }),
    );
  });
});
