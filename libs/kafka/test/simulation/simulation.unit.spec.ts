import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeFailure } from './describe-failure.js';
import { explore } from './explore.js';
import { schedules } from './schedule.js';
import { simulate } from './simulation.js';

// The long run is simulation.sim.spec.ts; whether the simulation would find anything is what tools/mutants asks.
describe('the simulated consumer', () => {
  it('keeps its promises in a few schedules', async () => {
    const report = await explore({ schedules: 60, shrinkMs: 5_000 });
    expect(describeFailure(report)).toBe('');
    expect(report.schedules).toBe(60);
  }, 30_000);

  it('does the same again with the same schedule', async () => {
    const [schedule] = fc.sample(schedules, { numRuns: 1, seed: 7 });
    const results = [await simulate(schedule!), await simulate(schedule!)];
    expect(results[0]).toEqual(results[1]);
    expect(results[0]?.violations).toEqual([]);
    expect(results[0]?.tookMs).toBeGreaterThan(21_000);
  });
});
