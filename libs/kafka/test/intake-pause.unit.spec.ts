import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { IntakePause } from '../src/consumer/intake-pause.js';

const policy = { firstWaitMs: 500, maxWaitMs: 10_000 };

describe('the intake pause', () => {
  it('is closed by the first failure only, and says what is down since when', () => {
    const pause = new IntakePause(policy, () => 0);
    expect(pause.isOpen).toBe(true);
    expect(pause.close('postgres', 1_000)).toBe(250);
    expect(pause.close('postgres', 2_000)).toBeUndefined();
    expect(pause.cause).toEqual({ dependency: 'postgres', since: 1_000 });
  });

  it('waits longer after each probe that fails, up to its limit', () => {
    const pause = new IntakePause(policy, () => 0);
    const waits = [pause.close('registry', 0)];
    for (let probe = 0; probe < 8; probe++) {
      pause.beginProbe();
      waits.push(pause.probeFailed('registry'));
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000]);
  });

  it('never probes at once, and begins with short waits again after it was open', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.nat(20), (random, failures) => {
        const pause = new IntakePause(policy, () => random);
        pause.close('kafka', 0);
        for (let probe = 0; probe < failures; probe++) expect(pause.probeFailed('kafka')).toBeGreaterThanOrEqual(250);
        pause.open();
        expect(pause.cause).toBeUndefined();
        expect(pause.close('kafka', 0)).toBeLessThanOrEqual(500);
      }),
    );
  });
});
