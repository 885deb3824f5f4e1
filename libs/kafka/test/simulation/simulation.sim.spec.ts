import { describe, expect, it } from '@jest/globals';
import { explore } from './explore.js';
import { describeFailure } from './describe-failure.js';

const { ANABRANCH_SIM_SCHEDULES, ANABRANCH_SIM_SEED, ANABRANCH_SIM_PATH } = process.env;
const schedules = Number(ANABRANCH_SIM_SCHEDULES ?? 10_000);
/** On a machine that is busy the default number of schedules would take longer than is asked of it. */
const defaultLimitMs = 100_000;

describe('in every simulated order of rebalances, crashes, outages and handler failures', () => {
  it('every promise of the consumer holds', async () => {
    const report = await explore({
      schedules,
      seed: ANABRANCH_SIM_SEED === undefined ? undefined : Number(ANABRANCH_SIM_SEED),
      path: ANABRANCH_SIM_PATH,
      shrinkMs: 15_000,
      limitMs: ANABRANCH_SIM_SCHEDULES === undefined ? defaultLimitMs : undefined,
    });
    expect(describeFailure(report)).toBe('');
    expect(report.schedules).toBeGreaterThanOrEqual(ANABRANCH_SIM_PATH === undefined ? Math.min(1_000, schedules) : 1);
    process.stdout.write(`simulation: seed ${report.seed}, ${report.schedules} schedules, ${report.records} records\n`);
  }, 3_600_000);
});
