import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeSuspicion, encodeMetadata } from '../src/consumer/commit-metadata.js';
import { decodeStretches, encodeStretches, type Stretch } from '../src/consumer/finished-stretches.js';
import type { Suspicion } from '../src/consumer/suspicion.js';

const distance = fc.nat(1_000_000);

const suspicions = (offset: number): fc.Arbitrary<Suspicion> =>
  fc
    .record({
      distances: fc.tuple(distance, distance, distance),
      isAlone: fc.boolean(),
      exits: fc.nat(100),
      stage: fc.constantFrom('try', 'rest', 'bury', 'bury-unread'),
      restMs: fc.nat(300_000),
      triedBy: fc.option(fc.stringMatching(/^[A-Za-z0-9]{1,32}$/), { nil: undefined }),
    })
    .map(({ distances: [group, halved, rest], triedBy, ...state }) => {
      const groupEnd = offset + group;
      const ends = { groupEnd, halvedEnd: groupEnd + halved, end: groupEnd + halved + rest };
      return { ...state, ...ends, ...(triedBy === undefined ? {} : { triedBy }) };
    });

/** So many finished offsets, every other one. */
const everyOther = (offset: number, count: number): Stretch[] =>
  Array.from({ length: count }, (_, index) => ({ begin: offset + 2 * index + 1, end: offset + 2 * index + 2 }));

const cases = fc
  .tuple(
    fc.maxSafeNat().map((n) => Math.floor(n / 8)),
    fc.nat(3_000),
  )
  .chain(([offset, count]) =>
    fc.record({ offset: fc.constant(offset), count: fc.constant(count), suspicion: suspicions(offset) }),
  );

describe('the metadata of a commit', () => {
  it('always holds the suspicion, within what a broker takes, and as many of the finished stretches as fit', () => {
    fc.assert(
      fc.property(cases, ({ offset, count, suspicion }) => {
        const finished = everyOther(offset, count);
        const { text, dropped } = encodeMetadata(offset, { finished, suspicion });
        expect(text).toMatch(/^[ -~]*$/);
        expect(text.length).toBeLessThanOrEqual(4_000);
        expect(decodeSuspicion(offset, text)).toEqual(suspicion);
        const carried = decodeStretches(offset, text);
        expect(carried).toEqual(finished.slice(0, carried.length));
        expect(carried.length + dropped).toBe(count);
      }),
      { numRuns: 30 },
    );
  });

  it('is what it was before there were suspicions when there is none', () => {
    const finished = everyOther(7, 10);
    expect(encodeMetadata(7, { finished, suspicion: undefined })).toEqual(encodeStretches(7, finished));
    expect(encodeMetadata(7, { finished: [], suspicion: undefined }).text).toBe('');
    expect(decodeSuspicion(7, encodeStretches(7, finished).text)).toBeUndefined();
  });

  it('lets a reader pass over what a newer version may add', () => {
    const [suspicion] = fc.sample(suspicions(7), { numRuns: 1, seed: 1 }) as [Suspicion];
    const { text } = encodeMetadata(7, { finished: everyOther(7, 3), suspicion });
    const newer = text.replace(';s', ';xfrom the future;s') + ';yand more';
    expect(decodeSuspicion(7, newer)).toEqual(suspicion);
    expect(decodeStretches(7, newer)).toEqual(everyOther(7, 3));
  });

  it.each([
    undefined,
    null,
    '',
    'ab1:',
    'ab1:AB',
    'ab1:;s',
    'ab1:;sAAA.run',
    'ab1:;sAAAAA/A.run',
    'other:;sAAAAAAA.run',
  ])('says nothing about suspects when it is not ours or damaged: %s', (metadata) => {
    expect(decodeSuspicion(5, metadata)).toBeUndefined();
  });

  it('never names a group that ends below its offset', () => {
    const passed = { end: 20, halvedEnd: 10, groupEnd: 5, isAlone: false, exits: 0, stage: 'try', restMs: 0 } as const;
    const { text } = encodeMetadata(8, { finished: [], suspicion: passed });
    expect(decodeSuspicion(8, text)).toEqual({ ...passed, groupEnd: 8 });
  });
});
