import { writeFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { chaosOf } from './chaos/chaos.js';
import { playChaos } from './chaos/play-chaos.js';
import { renderChaos, type ChaosOutcome } from './chaos/report.js';

const { env } = process;
const minutes = Number(env['ANABRANCH_CHAOS_MINUTES'] ?? 0.4);
const seeds = env['ANABRANCH_CHAOS_SEEDS']?.split(',').map(Number) ?? [randomInt(2 ** 31)];
/** What is over when the faults are: records that wait, and processes that start and stop. */
const settleMs = 240_000;

describe('two processes of one group that are killed, frozen, replaced and restarted at random', () => {
  const outcomes: ChaosOutcome[] = [];

  afterAll(() => {
    const report = env['ANABRANCH_CHAOS_REPORT'];
    if (report !== undefined && outcomes.length === seeds.length) writeFileSync(report, renderChaos(outcomes, minutes));
  });

  it.each(seeds)(
    'keep every promise of the ledger while partitions are added and the broker is restarted (seed %d)',
    async (seed) => {
      const chaos = chaosOf(seed, minutes);
      const startedAt = Date.now();
      const { breaches, counts } = await playChaos(chaos, settleMs);
      const replay = `npm run prove:chaos -- --minutes ${minutes} --seeds ${seed}`;
      expect({ replay, breaches }).toEqual({ replay, breaches: [] });
      expect(counts['records']).toBeGreaterThanOrEqual(chaos.schedule.records.length);
      expect(counts['faults']).toBe(chaos.schedule.faults.length);
      outcomes.push({ seed, chaos, counts, tookMs: Date.now() - startedAt });
    },
    minutes * 60_000 * 4 + settleMs + 120_000,
  );
});
