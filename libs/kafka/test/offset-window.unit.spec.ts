import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OffsetWindow } from '../src/consumer/offset-window.js';

describe('the offset window', () => {
  it('has no watermark before it has seen anything', () => {
    expect(new OffsetWindow().watermark).toBeUndefined();
  });

  it('takes each record once, because a rejoin delivers again what is not committed', () => {
    const window = new OffsetWindow();
    expect([5, 7, 5, 6, 7, 8].filter((offset) => window.take(offset))).toEqual([5, 7, 8]);
    expect(window.size).toBe(3);
  });

  it('goes past gaps and past what no consumer sees', () => {
    const window = new OffsetWindow();
    window.take(5);
    window.take(9);
    window.finish(5);
    expect(window.watermark).toBe(9);
    window.finish(9);
    window.passOver(12);
    expect(window.watermark).toBe(13);
  });

  it('does not go back when an older fetch is passed over', () => {
    const window = new OffsetWindow();
    window.take(9);
    window.finish(9);
    window.passOver(4);
    expect(window.watermark).toBe(10);
  });

  it('never has a watermark above an unfinished record, and never one that falls', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(gaps, fc.infiniteStream(fc.nat(40)), (steps, choices) => {
        const window = new OffsetWindow();
        const unfinished: number[] = [];
        let offset = 0;
        let before = 0;
        const check = () => {
          const watermark = window.watermark ?? 0;
          expect(watermark).toBeGreaterThanOrEqual(before);
          expect(unfinished.every((open) => open >= watermark)).toBe(true);
          before = watermark;
        };
        for (const step of steps) {
          offset += step;
          window.take(offset);
          unfinished.push(offset);
          const [finished] = unfinished.splice((choices.next().value as number) % (2 * unfinished.length), 1);
          if (finished !== undefined) window.finish(finished);
          check();
        }
        for (const open of unfinished.splice(0)) window.finish(open);
        check();
        expect(window.watermark).toBe(offset + 1);
      }),
    );
  });
});
